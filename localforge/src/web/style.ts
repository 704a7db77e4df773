import { createHash } from 'node:crypto';

/** The one style sheet, inline in every page. */
export const STYLE = `
:root{color-scheme:light dark;--fg:#1d2329;--dim:#57606a;--bg:#fff;--soft:#f4f6f8;--line:#d3d9df;--link:#0757b5;
--good:#116b2e;--good-bg:#e2f6e7;--bad:#a8121f;--bad-bg:#fdebec;--busy:#7d4e00;--busy-bg:#fff4d9;--done:#6a35b8;--done-bg:#f1eafd;--button:#1a7037}
@media (prefers-color-scheme:dark){:root{--fg:#dfe5eb;--dim:#98a3ae;--bg:#0f1419;--soft:#181f26;--line:#36404a;--link:#6cb1ff;
--good:#5fd07f;--good-bg:#10301b;--bad:#ff8f91;--bad-bg:#3d1518;--busy:#edbb52;--busy-bg:#35280b;--done:#c3a0ff;--done-bg:#2a1d45;--button:#1d7a3d}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,"DejaVu Sans",sans-serif}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
code,pre,kbd{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.86em}
h1,h2,h3,h4,h5,h6{line-height:1.25;margin:1.2em 0 .5em}h1{font-size:1.5rem;margin-top:.4em}h2{font-size:1.2rem}h3{font-size:1.05rem}h4,h5,h6{font-size:1rem}
.skip{position:absolute;left:-99rem;background:var(--bg);padding:.5rem 1rem;z-index:1}.skip:focus{left:.5rem;top:.5rem}
.top{display:flex;flex-wrap:wrap;gap:.5rem 1.2rem;align-items:center;padding:.5rem 1rem;background:var(--soft);border-bottom:1px solid var(--line)}
.top form{margin-left:auto}.who{display:flex;flex-wrap:wrap;gap:.35rem;align-items:center}.who button{padding:.15rem .6rem}.who [aria-pressed=true]{background:var(--link);border-color:var(--link);color:var(--bg)}.home{font-weight:700;text-decoration:none;color:var(--fg)}
.at{padding:.6rem 1rem 0;border-bottom:1px solid var(--line)}.at p{margin:0 0 .3rem;font-size:1.1rem;overflow-wrap:anywhere}
.tabs{display:flex;flex-wrap:wrap;gap:0 1.1rem;list-style:none;margin:0;padding:0}
.tabs a{display:block;padding:.35rem 0;text-decoration:none;border-bottom:3px solid transparent}.tabs a[aria-current]{border-color:var(--link);color:var(--fg);font-weight:600}
.tabs.inner{border-bottom:1px solid var(--line);margin:.8rem 0 1rem}
main{max-width:68rem;margin:0 auto;padding:.8rem 1rem 4rem;overflow-wrap:anywhere}
footer{color:var(--dim);padding:1rem;border-top:1px solid var(--line);font-size:.85rem}
.dim,time{color:var(--dim)}time{white-space:nowrap}
.badge{display:inline-block;border:1px solid currentColor;border-radius:1em;padding:0 .55em;font-size:.78rem;line-height:1.45;color:var(--dim);white-space:nowrap;vertical-align:.08em}
.badge.good{color:var(--good);background:var(--good-bg)}.badge.bad{color:var(--bad);background:var(--bad-bg)}.badge.busy{color:var(--busy);background:var(--busy-bg)}.badge.done{color:var(--done);background:var(--done-bg)}
.rows{list-style:none;margin:.6rem 0;padding:0;border:1px solid var(--line);border-radius:6px}
.rows>li{padding:.55rem .8rem;border-top:1px solid var(--line)}.rows>li:first-child{border-top:0}.rows p{margin:.1rem 0}
.box{border:1px solid var(--line);border-radius:6px;margin:.9rem 0}
.box>header{background:var(--soft);padding:.4rem .8rem;border-bottom:1px solid var(--line);border-radius:6px 6px 0 0}
.box>header h3{display:inline;font-size:1rem;font-weight:400;margin:0}
.box>.in{padding:.4rem .8rem}.box>header:last-child{border-bottom:0;border-radius:6px}
.event{margin:.7rem 0;padding-left:.8rem;border-left:3px solid var(--line)}
.alert{border:1px solid var(--bad);border-left-width:6px;background:var(--bad-bg);border-radius:6px;padding:.6rem .9rem;margin:.6rem 0}
.alert p{margin:0}
.news{position:fixed;bottom:.6rem;left:50%;transform:translateX(-50%);width:max-content;max-width:calc(100vw - 1.4rem);margin:0;padding:.5rem .9rem;background:var(--busy-bg);border:1px solid var(--busy);border-radius:6px}.news[hidden]{display:none}
.md>:first-child{margin-top:.3em}.md>:last-child{margin-bottom:.3em}.md p,.md ul,.md ol{margin:.6em 0}.md ul,.md ol{padding-left:1.6em}
.md :not(pre)>code,p>code,li>code{background:var(--soft);border-radius:4px;padding:.1em .3em}
.md blockquote{margin:.6em 0;padding-left:.8em;border-left:4px solid var(--line);color:var(--dim)}
pre{background:var(--soft);border-radius:6px;padding:.7rem;overflow-x:auto;margin:.6em 0}
summary{cursor:pointer}details>div{padding-left:.9rem}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;overflow-wrap:normal}.md table,table.data{margin:.5em 0}.md th,.md td,.data th,.data td{border:1px solid var(--line);padding:.25rem .6rem;text-align:left;vertical-align:top}.md thead,.data thead{background:var(--soft)}
.code{width:100%;font:.82rem/1.45 ui-monospace,"DejaVu Sans Mono",monospace;border-spacing:0}
.code td{padding:0 .6rem;white-space:pre}.code .n{width:1%;text-align:right;color:var(--dim);user-select:none;padding:0 .45rem}
.code .n a{color:inherit;text-decoration:none}
.code .add td{background:var(--good-bg)}.code .remove td{background:var(--bad-bg)}.code .hunk td{background:var(--soft);color:var(--dim);padding-top:.25rem;padding-bottom:.25rem}
.code .mark td{white-space:normal;padding:.3rem .6rem;background:var(--bg);font:1rem/1.5 system-ui,"DejaVu Sans",sans-serif}
.code .mark>td>*{max-width:min(52rem,calc(100vw - 3.4rem));position:sticky;left:.6rem}
.code tr:target td,.code tr:target{background:var(--busy-bg)}
.note{border:1px solid var(--line);border-left:6px solid var(--dim);border-radius:6px;padding:.35rem .8rem;margin:.3rem 0;background:var(--bg)}
.note.failure{border-left-color:var(--bad)}.note.warning{border-left-color:var(--busy)}.note p{margin:.15rem 0}.text{white-space:pre-line}
.count-add{color:var(--good)}.count-remove{color:var(--bad)}
label{font-weight:600}form>label{display:block;margin:.7rem 0 .2rem}fieldset{border:1px solid var(--line);border-radius:6px;margin:.6rem 0;padding:.3rem .8rem .5rem}fieldset label,.check label{font-weight:400;display:inline-block;margin-right:1.2rem}
textarea,input[type=text],select{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--dim);border-radius:5px;padding:.35rem .5rem;max-width:100%}
textarea{display:block;width:100%;min-height:6rem}textarea.mono{font:.84rem/1.45 ui-monospace,"DejaVu Sans Mono",monospace;white-space:pre;overflow:auto;tab-size:2}input[type=text].wide{display:block;width:100%}
button{overflow-wrap:normal;font:inherit;font-weight:600;color:var(--fg);background:var(--soft);border:1px solid var(--dim);border-radius:5px;padding:.32rem .8rem;cursor:pointer}
button.main{background:var(--button);border-color:var(--button);color:#fff}
.line{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.5rem 0}.line form{margin:0}
.line>label+input,.line>label+select{margin-right:.7rem}
.reactions{margin:.4rem 0 .2rem;padding:0;list-style:none;display:flex;gap:.5rem;font-size:.9rem}.reactions li{border:1px solid var(--line);border-radius:1em;padding:0 .55em}
@media (max-width:34rem){body{font-size:15px}main{padding:.5rem .7rem 3rem}.top,.at{padding-left:.7rem;padding-right:.7rem}.top form{margin-left:0}.code .n{padding:0 .25rem}.md th,.md td,.data th,.data td{padding:.2rem .4rem}}
`;

/** How a Content-Security-Policy names it. */
export const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
