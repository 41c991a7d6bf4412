/// The style sheet all provider pages share; a theme fills in its custom properties.
enum Stylesheet {
  static let common = """
    *{box-sizing:border-box}
    html{color-scheme:light dark;-webkit-text-size-adjust:100%}
    body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;\
    justify-content:center;gap:20px;padding:24px 16px;background:var(--page);color:var(--ink);\
    font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
    main{width:100%;max-width:440px;background:var(--card);border-radius:var(--corner);\
    overflow:hidden;box-shadow:0 1px 2px rgba(0,0,0,.12),0 10px 32px rgba(0,0,0,.1)}
    main::before{content:"";display:block;height:5px;background:var(--band)}
    .in{padding:32px 36px 36px}
    .who{display:flex;align-items:center;gap:10px;margin:0 0 22px;font-weight:600;color:var(--soft)}
    .sign{display:grid;place-items:center;flex:none;width:30px;height:30px;\
    border-radius:min(var(--fieldcorner),8px);background:var(--accent);color:var(--on);font-weight:700}
    h1{font-size:26px;line-height:1.25;font-weight:600;margin:0 0 6px;overflow-wrap:anywhere;\
    text-wrap:balance}
    h1:focus{outline:none}
    p{margin:0 0 14px;overflow-wrap:anywhere}
    .lead{color:var(--soft);margin-bottom:22px}
    .person{display:inline-block;max-width:100%;padding:3px 12px;margin-bottom:18px;border:1px solid\
     var(--rule);border-radius:999px;overflow-wrap:anywhere;font-size:15px}
    label{display:block;font-weight:600;font-size:15px;margin:0 0 6px}
    input{width:100%;height:46px;margin:0 0 18px;padding:0 12px;font:inherit;color:var(--ink);\
    background:var(--field);border:1px solid var(--line);border-radius:var(--fieldcorner)}
    input[aria-invalid=true]{border-color:var(--bad)}
    input:focus-visible,button:focus-visible,summary:focus-visible,a:focus-visible{outline:3px solid\
     var(--link);outline-offset:2px}
    .row{display:flex;flex-wrap:wrap;gap:12px;justify-content:flex-end;margin-top:8px}
    button{min-height:44px;padding:8px 26px;font:inherit;font-weight:600;cursor:pointer;\
    color:var(--on);background:var(--accent);border:1px solid var(--accent);\
    border-radius:var(--buttoncorner)}
    button:hover{filter:brightness(.93)}
    button.quiet{color:var(--link);background:none;border-color:var(--line)}
    .notice{margin:0 0 18px;padding:11px 14px;color:var(--bad);background:var(--badpage);\
    border-left:4px solid var(--bad);border-radius:4px}
    ul{list-style:none;margin:0 0 22px;padding:0}
    .scopes li{display:flex;gap:12px;padding:11px 0;border-top:1px solid var(--rule)}
    .scopes li:last-child{border-bottom:1px solid var(--rule)}
    .scopes li::before{content:"";flex:none;width:7px;height:7px;margin-top:9px;border-radius:50%;\
    background:var(--link)}
    .scopes code{display:block}
    code{font:13px/1.5 ui-monospace,"DejaVu Sans Mono",monospace;color:var(--soft);\
    overflow-wrap:anywhere}
    .accounts button{display:flex;align-items:center;gap:14px;width:100%;padding:10px 14px;\
    margin:0 0 10px;text-align:left;font-weight:400;color:var(--ink);background:none;\
    border:1px solid var(--rule);border-radius:min(var(--buttoncorner),14px)}
    .accounts button:hover{border-color:var(--link);filter:none}
    .accounts .sign{width:36px;height:36px;border-radius:50%}
    .accounts .other{background:none;color:var(--soft);border:1px solid var(--line)}
    .accounts b{display:block;font-weight:600}
    .accounts small{color:var(--soft);font-size:14px;overflow-wrap:anywhere}
    details{margin-top:26px;padding-top:16px;border-top:1px solid var(--rule);font-size:14px;\
    color:var(--soft)}
    summary{cursor:pointer}
    details ul{margin:10px 0 0}
    details li{padding:2px 0;overflow-wrap:anywhere}
    dl{display:grid;grid-template-columns:auto 1fr;gap:4px 16px;margin:0 0 20px;font-size:14px}
    dt{color:var(--soft)}
    dd{margin:0;overflow-wrap:anywhere}
    footer{max-width:440px;font-size:13px;line-height:1.5;color:var(--soft);text-align:center;\
    text-wrap:balance}
    a{color:var(--link)}
    @media (max-width:480px){body{padding:0 0 20px;justify-content:flex-start;background:var(--card)}\
    main{box-shadow:none;border-radius:0;max-width:none}.in{padding:24px 22px}footer{padding:0 22px}\
    .row button{flex:1 1 auto}}
    """
}
