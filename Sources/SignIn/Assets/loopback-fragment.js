(function(){var answer=location.hash;
history.replaceState(null,"",location.pathname+location.search);
var form=document.forms[0];if(answer.length>1){form.hidden=true;
form.elements.address.value=answer;form.submit()}})()
