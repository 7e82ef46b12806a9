#include <string>

#include "report/page.h"

namespace rotary::report {

std::string page_style() {
  return R"(:root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--text:#1f2328;--soft:#59636e;--rule:#d8dee4;--link:#0068b0}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,sans-serif;overflow-wrap:break-word}
main{max-width:62rem;margin:0 auto;padding:2.5rem 1.25rem 5rem}
h1{font-size:1.8rem;line-height:1.2;margin:0 0 1.5rem;letter-spacing:-.01em}
h2{font-size:1.25rem;line-height:1.3;margin:2.75rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--rule)}
p{max-width:44rem;margin:.75rem 0}
a{color:var(--link)}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:0;padding:0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.25rem;margin:1rem 0}
dt{color:var(--soft)}
dd{margin:0;font-variant-numeric:tabular-nums;min-width:0}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;margin:1rem 0;font-size:.94rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding-bottom:.4rem}
th,td{text-align:left;padding:.32rem .9rem .32rem 0;border-bottom:1px solid var(--rule);vertical-align:baseline}
th{font-weight:600}
tbody th{font-weight:400}
thead th{color:var(--soft);border-bottom:2px solid var(--rule);white-space:nowrap}
th.number,td.number{text-align:right;padding-left:.9rem;white-space:nowrap}
figure{margin:1.5rem 0}
figure svg{display:block;max-width:100%;height:auto;border:1px solid var(--rule);border-radius:8px}
figure.wide{width:calc(100vw - 3rem);margin-left:calc(50% - 50vw + 1.5rem)}
figure.wide svg{margin:0 auto}
figcaption{color:var(--soft);font-size:.92rem;margin-top:.5rem;max-width:44rem}
figure.wide figcaption{margin-left:auto;margin-right:auto;max-width:62rem}
pre{background:var(--card);border:1px solid var(--rule);border-radius:6px;padding:.75rem 1rem;overflow-x:auto;font:.88rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media screen and (prefers-color-scheme:dark){
:root{--back:#0e1013;--card:#16191d;--text:#e6e9ec;--soft:#a0a9b2;--rule:#2f353c;--link:#6cb8f5}
}
@media print{
:root{--back:#fff}
main{max-width:none;padding:0}
figure,figure.wide{width:auto;margin-left:0;break-inside:avoid}
figure svg{max-height:24cm}
.scroll>div{min-width:0!important}
.scroll{overflow:visible}
pre{white-space:pre-wrap}
h2{break-after:avoid}
tr{break-inside:avoid}
}
)";
}

}  // namespace rotary::report
