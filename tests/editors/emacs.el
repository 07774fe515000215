;;; Plays a session in Emacs with eglot and writes down what happened; test_emacs.py judges it.  -*- lexical-binding: t -*-
(require 'cl-lib)
(require 'flymake)
(require 'json)

(defvar report nil "What happened, as an alist.")
(defun note (name value) (push (cons name value) report))

(defun wait (what condition)
  "Run the event loop until CONDITION gives something true, which is returned; an error names WHAT."
  (let ((end (+ (float-time) 30)) value)
    (while (not (setq value (funcall condition)))
      (when (> (float-time) end) (error "Not within 30 s: %s" what))
      (accept-process-output nil 0.02))
    value))

(defun text (buffer)
  (with-current-buffer buffer (buffer-substring-no-properties (point-min) (point-max))))

(defun disk (path)
  (with-temp-buffer (insert-file-contents path) (buffer-string)))

(defun diagnostics (count)
  "The diagnostics of this buffer, as soon as there are COUNT."
  (wait (format "%d diagnostics" count)
        (lambda ()
          (eglot--signal-textDocument/didChange)
          (flymake-start) ; a user's Emacs does both when it is idle, which it never is in a batch
          (let ((found (flymake-diagnostics)))
            (and (= count (length found)) found)))))

(defun take-back (steps)
  (undo-boundary) ; as Emacs does before every command of the user
  (let ((last-command nil)) (undo steps)))

(setq eglot-sync-connect t
      eglot-connect-timeout 60
      eglot-send-changes-idle-time 0
      create-lockfiles nil
      make-backup-files nil
      vc-handled-backends nil
      python-indent-guess-indent-offset nil)
;; The user works with the keyboard, agrees, and takes what is offered first.
(setq-default last-nonmenu-event t)
(fset 'y-or-n-p (lambda (prompt) (note 'asked prompt) t))
(fset 'completing-read (lambda (_prompt _collection _filter _strict _initial _history default) default))

(defun play ()
  (let* ((folder (file-name-as-directory (getenv "FOLDER")))
         (train (concat folder "train.py"))
         (other (concat folder "sub/other.py"))
         (all (string-to-number (getenv "FINDINGS")))
         (fewer (string-to-number (getenv "FINDINGS_AFTER")))
         original)
    (add-hook 'project-find-functions (lambda (_) (cons 'transient folder)))
    (find-file train)
    (unless (eglot-current-server) (apply #'eglot (eglot--guess-contact)))
    (setq original (text (current-buffer)))
    (note 'marked
          (mapcar (lambda (item)
                    (vector (flymake-diagnostic-text item)
                          (buffer-substring-no-properties (flymake-diagnostic-beg item) (flymake-diagnostic-end item))))
                  (diagnostics all)))

    (goto-char (point-min))
    (forward-line (1- (string-to-number (getenv "LINE"))))
    (goto-char (byte-to-position (+ (position-bytes (point)) (string-to-number (getenv "COLUMN")))))
    (undo-boundary)
    (call-interactively #'eglot-code-actions)
    (note 'quick (text (current-buffer)))
    (diagnostics fewer)

    (undo-boundary)
    (uncuda-fix-all)
    (note 'fixed (text (current-buffer)))
    (take-back 2)
    (note 'undone (text (current-buffer)))
    (diagnostics all)

    (undo-boundary)
    (uncuda-fix-all-in-workspace)
    (wait "fix all in the workspace"
          (lambda ()
            (and (not (equal original (text (current-buffer))))
                 (let ((found (find-buffer-visiting other))) (and found (buffer-modified-p found))))))
    (save-some-buffers t)
    (note 'saved (vector (disk train) (disk other)))
    (dolist (path (list train other))
      (with-current-buffer (find-buffer-visiting path) (take-back 1) (save-buffer)))
    (note 'taken_back (vector (disk train) (disk other)))
    (switch-to-buffer (find-buffer-visiting train))
    (undo-boundary)
    (uncuda-fix-rule "nccl-backend")
    (wait "fix of one rule" (lambda () (not (equal original (text (current-buffer))))))
    (note 'rule (text (current-buffer)))
    (take-back 1)
    (save-buffer)
    (uncuda-accept "nccl-backend" "one node")
    (diagnostics (1- all))
    (note 'accepted (disk (concat folder "uncuda-baseline.jsonl")))
    (uncuda-keep-target "musa")
    (wait "the target in the project's settings"
          (lambda () (string-match-p "musa" (disk (concat folder "uncuda.toml")))))
    (note 'kept (disk (concat folder "uncuda.toml")))
    (let ((process (jsonrpc--process (eglot-current-server))))
      (eglot-shutdown (eglot-current-server))
      (wait "the server's end" (lambda () (not (process-live-p process)))))))

(condition-case failure
    (play)
  (error (note 'error (format "%S" failure))))
(with-temp-file (getenv "REPORT")
  (let ((coding-system-for-write 'utf-8)) (insert (json-encode report))))
(kill-emacs 0)
