"""Names that are part of our interface to clients: commands, requests, notifications, kinds of code actions."""

from __future__ import annotations

SHOW_RULE = "uncuda.showRule"
FIX_ALL_IN_FILE = "uncuda.fixAllInFile"
FIX_ALL_IN_WORKSPACE = "uncuda.fixAllInWorkspace"
PREVIEW = "uncuda.previewFixAllInWorkspace"
SWITCH_TARGET = "uncuda.switchTarget"
SCAN_WORKSPACE = "uncuda.scanWorkspace"
ACCEPT = "uncuda.accept"
ACCEPT_IN_WORKSPACE = "uncuda.acceptInWorkspace"
REPORT = "uncuda.report"
WRITE_REPORT = "uncuda.writeReport"
DEBUG_INFORMATION = "uncuda.debugInformation"

FIX_ALL = "source.fixAll.uncuda"
FIX_ALL_NOTEBOOK = "notebook.source.fixAll.uncuda"

KEEP_TARGET = "uncuda.keepTarget"
TARGETS = "uncuda/targets"
CHOOSE_TARGET = "uncuda/chooseTarget"
"""A notification for clients with `experimental.uncudaChooseTarget`: show the list of `uncuda/targets`."""
RULE_PAGE = "uncuda/rulePage"
STATUS = "uncuda/status"
STATUS_CHANGED = "uncuda/statusChanged"
"""A notification for clients with `experimental.uncudaStatusChanged`: request the status again."""
SHOW_PROBLEMS = "uncuda/showProblems"
"""A notification for clients with `experimental.uncudaShowProblems`: open the list of all problems."""
