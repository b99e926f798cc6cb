"""HOLDS: no git command of the tool runs a program that the branch's .git/config, hooks or .gitattributes name
(fsmonitor, hooksPath, filter, textconv, external diff, pager, alias, sshCommand, gitdir redirect).
"""

KIND = "git"
FILES = {"solution.py": "def solve(x): return x + 1\n", ".gitattributes": "*.py filter=evil diff=evil\n"}
SETUP = {
    "git": '[core]\n\tfsmonitor = touch @ROOT@/outside/GIT_FSMONITOR\n\thooksPath = .evilhooks\n\tpager = touch @ROOT@/outside/GIT_PAGER\n\tsshCommand = touch @ROOT@/outside/GIT_SSH\n[filter "evil"]\n\tclean = touch @ROOT@/outside/GIT_CLEAN; cat\n\tsmudge = touch @ROOT@/outside/GIT_SMUDGE; cat\n\trequired = true\n[diff "evil"]\n\ttextconv = touch @ROOT@/outside/GIT_TEXTCONV; cat\n\tcommand = touch @ROOT@/outside/GIT_EXTDIFF\n[diff]\n\texternal = touch @ROOT@/outside/GIT_EXTDIFF2\n',
    "hooks": {"post-checkout": "touch @ROOT@/outside/GIT_HOOK", "pre-commit": "touch @ROOT@/outside/GIT_HOOK"},
}
