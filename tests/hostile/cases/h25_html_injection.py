"""HOLDS: strings of a branch enter HTML, the JSON island in it, SVG, Markdown, SARIF and CSV only escaped: no script
runs, no request leaves the report (CSP default-src 'none').
"""

KIND = "render"
FILES = {
    "solution.py": "def solve(x):\n    raise ValueError('</script><script>document.title=\"PWNED\"</script>')\n",
    "notes.md": "<img src=x onerror=alert(1)> [x](javascript:alert(1)) ![p](http://127.0.0.1/px)\n",
}
STRINGS = [
    "</script><script>document.title='PWNED'</script>",
    '"><img src=x onerror=alert(1)>',
    "<!--<script>",
    "]]><x/>",
    "javascript:alert(1)",
    '=HYPERLINK("http://127.0.0.1")',
    "${{ github.token }}",
    "`x`|a|b|",
    "\u2028alert(1)//",
    "{{7*7}}",
]
