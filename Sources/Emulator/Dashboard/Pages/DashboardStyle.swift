/// The style sheet of the emulator's page, light and dark, from telephones to wide screens.
enum DashboardStyle {
  static let text = colours + shapes

  private static let colours = """
    :root{color-scheme:light dark;--page:#f5f6fa;--card:#fff;--ink:#191c24;--soft:#596273;--rule:#e2e6ee;
    --line:#8b94a5;--accent:#4338ca;--on:#fff;--tint:#eef0ff;--field:#fff;--hover:#f6f7fc;
    --good:#12633a;--goodpage:#dcf5e6;--warn:#754800;--warnpage:#fdf0d5;--bad:#9c1c12;--badpage:#fde7e4;
    --info:#2b3f8f;--infopage:#e3e9fb;--plainpage:#eceff5;--code:#f2f4f9;
    --k:#3b3fa8;--s:#0d6b4f;--n:#9a4a00}
    @media (prefers-color-scheme:dark){:root{--page:#0e1016;--card:#171a22;--ink:#e9ebf1;--soft:#a4acbb;
    --rule:#2a2f3b;--line:#7a8394;--accent:#aab4ff;--on:#14163a;--tint:#22264a;--field:#10131a;
    --hover:#1d212b;--good:#83e2ab;--goodpage:#12341f;--warn:#ffd084;--warnpage:#3a2a0c;--bad:#ffb3ab;
    --badpage:#421a17;--info:#b9c6ff;--infopage:#1f2850;--plainpage:#282d39;--code:#10131a;
    --k:#b3bcff;--s:#86dcb9;--n:#ffc07f}}

    """

  private static let shapes = """
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%}
    [hidden]{display:none!important}
    body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--page);color:var(--ink);
    font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
    a{color:var(--accent);text-underline-offset:.2em;text-decoration-thickness:1px}
    a:hover{text-decoration-thickness:2px}
    :focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
    main:focus{outline:none}
    .skip{position:absolute;left:-999px;top:0;padding:10px 16px;background:var(--card);z-index:2}
    .skip:focus{left:8px;top:8px}
    .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    .top{display:flex;flex-wrap:wrap;align-items:center;gap:4px 26px;padding:10px 28px;background:var(--card);
    border-bottom:1px solid var(--rule);position:sticky;top:0;z-index:1}
    .brand{display:flex;align-items:center;gap:10px;font-size:18px;font-weight:700;color:var(--ink);
    text-decoration:none}
    .brand small{font-weight:400;color:var(--soft)}
    .mark{display:grid}
    .top nav{flex:1}
    .top ul,.tabs ul{display:flex;flex-wrap:wrap;gap:2px;list-style:none;margin:0;padding:0}
    .top li a{display:block;padding:8px 12px;border-radius:8px;color:var(--soft);text-decoration:none;font-weight:500}
    .top li a:hover{background:var(--hover);color:var(--ink)}
    .top li a[aria-current]{background:var(--tint);color:var(--accent)}
    .live{display:flex;align-items:center;gap:10px;min-height:36px}
    #live{color:var(--soft);font-size:14px}
    #live.on::before,#live.off::before{content:"";display:inline-block;width:9px;height:9px;margin-right:7px;
    border-radius:50%;background:#1f9d57}
    #live.off::before{background:#d23f31}
    main{flex:1;width:100%;max-width:1240px;margin:0 auto;padding:30px 28px 40px}
    footer{padding:18px 28px 26px;color:var(--soft);font-size:13px;text-align:center;overflow-wrap:anywhere}
    h1{font-size:27px;line-height:1.2;letter-spacing:-.01em;margin:0 0 6px;overflow-wrap:anywhere}
    h2{font-size:17px;margin:30px 0 12px}
    h3{font-size:15px;margin:0 0 10px}
    p{margin:0 0 12px}
    .lead,.soft{color:var(--soft)}
    .lead{margin-bottom:20px;overflow-wrap:anywhere}
    .head{display:flex;flex-wrap:wrap;align-items:center;gap:8px 16px;margin-bottom:14px}
    .head h1{margin:0}
    .head .button{margin-left:auto}
    .crumbs{margin-bottom:8px;font-size:14px}
    .card{background:var(--card);border:1px solid var(--rule);border-radius:14px;padding:22px 24px;margin:0 0 20px;
    box-shadow:0 1px 2px rgba(20,24,40,.05)}
    .card h2:first-of-type{margin-top:0}
    .card.flush{padding:0;overflow-x:auto}
    .empty{text-align:center;color:var(--soft);padding:34px 24px}
    .empty b{color:var(--ink)}
    .empty p:last-child{margin:0}
    .empty pre{display:inline-block;margin:6px 0 0;padding:8px 14px}
    .columns{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:0 20px;align-items:start}
    table{width:100%;border-collapse:collapse}
    th,td{padding:11px 18px;text-align:left;vertical-align:middle;border-bottom:1px solid var(--rule);font-weight:400}
    thead th{font-size:13px;font-weight:600;color:var(--soft);white-space:nowrap}
    tbody tr:last-child>*{border-bottom:0}
    .flush tbody tr:hover{background:var(--hover)}
    tbody th a{font-weight:600}
    tbody th a,.feed a,.links a{text-decoration:none;overflow-wrap:anywhere}
    tbody th a:hover,.feed a:hover,.links a:hover{text-decoration:underline}
    td bdi,th bdi{overflow-wrap:anywhere}
    td.name{white-space:nowrap}
    td small,th small{display:block;color:var(--soft);font-weight:400;overflow-wrap:anywhere}
    th a small{display:inline}
    .card:not(.flush) table{margin-bottom:14px}
    .card:not(.flush) th,.card:not(.flush) td{padding:9px 8px 9px 0}
    .num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
    time{font-variant-numeric:tabular-nums;white-space:nowrap;color:var(--soft)}
    time b{font-weight:500;color:var(--ink)}
    .twin{grid-template-columns:repeat(2,minmax(0,1fr))}
    .path{max-width:300px}
    .path code{display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
    .links a{margin-right:12px}
    .branch{color:var(--soft)}
    .person{display:flex;align-items:center;gap:13px}
    a.person{color:inherit;text-decoration:none}
    a.person b{color:var(--accent)}
    a.person:hover b{text-decoration:underline}
    .person b,.person small{display:block;font-weight:600;overflow-wrap:anywhere}
    .person small{font-weight:400}
    .avatar{display:grid;place-items:center;flex:none;width:38px;height:38px;border-radius:50%;font-weight:700;
    color:#fff;background:#4f46e5}
    .head .avatar{width:50px;height:50px;font-size:20px}
    .c1{background:#0f766e}.c2{background:#b4235a}.c3{background:#9a5b00}.c4{background:#2563b0}.c5{background:#7a3fb0}
    .pill{display:inline-block;padding:1px 10px;margin:1px 3px 1px 0;border-radius:99px;font-size:13px;font-weight:600;
    white-space:nowrap;background:var(--plainpage);color:var(--ink)}
    .pill.plain{font-weight:500}
    .pill.good{background:var(--goodpage);color:var(--good)}
    .pill.warn{background:var(--warnpage);color:var(--warn)}
    .pill.bad{background:var(--badpage);color:var(--bad)}
    .pill.info{background:var(--infopage);color:var(--info)}
    .banner{padding:12px 18px;margin:0 0 20px;border-radius:10px;font-weight:500;overflow-wrap:anywhere}
    .banner.good{background:var(--goodpage);color:var(--good)}
    .banner.bad{background:var(--badpage);color:var(--bad)}
    .feed{list-style:none;padding:8px 0}
    .feed li{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 14px;padding:8px 24px}
    .feed li:hover{background:var(--hover)}
    .feed a{overflow-wrap:anywhere;flex:1 1 260px}
    .feed small{color:var(--soft)}
    .tabs{margin:0 0 18px}
    .tabs a{display:block;padding:6px 14px;border:1px solid var(--rule);border-radius:99px;background:var(--card);
    color:var(--soft);text-decoration:none}
    .tabs li{margin:0 6px 6px 0}
    .tabs a[aria-current]{border-color:var(--accent);color:var(--accent);font-weight:600}
    label{display:block;font-weight:600;font-size:14px;margin-bottom:5px}
    .field{margin-bottom:16px}
    .field small{display:block;margin-top:4px;color:var(--soft);font-size:13px}
    input:not([type=checkbox]),textarea{width:100%;min-height:42px;padding:8px 12px;font:inherit;color:var(--ink);
    background:var(--field);border:1px solid var(--line);border-radius:9px}
    textarea{font:14px/1.5 ui-monospace,"DejaVu Sans Mono",monospace;resize:vertical}
    .check{display:flex;align-items:center;gap:10px;font-weight:400;font-size:15px;margin-bottom:12px;overflow-wrap:anywhere}
    input[type=checkbox]{flex:none;width:19px;height:19px;margin:0;accent-color:var(--accent)}
    .row{display:flex;flex-wrap:wrap;align-items:center;gap:10px}
    .end{justify-content:flex-end}
    .search{margin-bottom:20px}
    .search label[for]{color:var(--soft);font-weight:500}
    .search input[type=search]{flex:1 1 260px;width:auto}
    .search .check{margin:0 6px}
    button,.button{display:inline-block;min-height:42px;padding:8px 18px;font:inherit;font-weight:600;line-height:24px;
    cursor:pointer;color:var(--accent);background:var(--card);border:1px solid var(--line);border-radius:9px;
    text-decoration:none}
    button:hover,.button:hover{background:var(--hover)}
    .primary{color:var(--on);background:var(--accent);border-color:var(--accent)}
    .primary:hover{background:var(--accent);filter:brightness(1.08)}
    .danger{color:var(--bad);border-color:var(--bad)}
    .small{min-height:34px;padding:3px 12px;font-size:14px}
    .inline{display:inline}
    details{margin-top:16px;padding-top:14px;border-top:1px solid var(--rule)}
    details>*:not(summary){margin-top:14px}
    summary{cursor:pointer;color:var(--accent);font-weight:600}
    .pager{display:flex;gap:10px;justify-content:flex-end}
    dl{display:grid;grid-template-columns:auto minmax(0,1fr);gap:8px 20px;margin:0}
    dt{color:var(--soft)}
    dd{margin:0;overflow-wrap:anywhere}
    dd small{color:var(--soft)}
    code{font:13.5px/1.5 ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
    code.big{font-size:18px;font-weight:700;letter-spacing:.12em}
    code.cut{display:block;max-width:420px;color:var(--soft)}
    pre{margin:0;padding:14px 16px;background:var(--code);border-radius:9px;overflow-x:auto;white-space:pre-wrap}
    .card>pre{padding:0;background:none}
    .k{color:var(--k)}.s{color:var(--s)}.n{color:var(--n)}.m{color:var(--soft);letter-spacing:.1em}
    @media (max-width:860px){.wide,code.cut.wide{display:none}.columns,.twin{grid-template-columns:minmax(0,1fr)}}
    @media (max-width:600px){.top{position:static;padding:12px 16px;gap:10px}.mid{display:none}
    .top nav{order:3;flex:0 0 100%;margin-left:-8px}.top li a{padding:6px 9px}.brand{flex:1}main{padding:22px 16px 30px}
    th,td{padding:10px 12px}.card{padding:18px 16px;border-radius:12px}.feed{padding:6px 0}.feed li{padding:8px 16px}
    h1{font-size:23px}.end button,.search button{flex:1 1 100%}.avatar{width:34px;height:34px}}
    @media (prefers-reduced-motion:no-preference){#live.on::before{animation:beat 2.4s ease-in-out infinite}
    @keyframes beat{50%{opacity:.35}}}

    """
}
