for (const step of (window.luathUndo || []).reverse()) step();
delete window.luathUndo;
