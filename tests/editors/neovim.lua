-- Plays a session in Neovim and writes down what happened; test_neovim.py judges it. Runs in 0.7 and in 0.11.
local report = { version = tostring(vim.version().major) .. "." .. tostring(vim.version().minor), shown = {} }

local function wait(what, condition)
  if not vim.wait(30000, condition, 10) then
    error("not within 30 s: " .. what)
  end
end

local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n") .. "\n"
end

-- The rule of every diagnostic, with the piece of text that it marks.
local function marked(buffer)
  local found = {}
  for _, item in ipairs(vim.diagnostic.get(buffer)) do
    local line = vim.api.nvim_buf_get_lines(buffer, item.lnum, item.lnum + 1, false)[1] or ""
    table.insert(found, { item.code, line:sub(item.col + 1, item.end_col) })
  end
  return found
end

local function wait_for_diagnostics(buffer, count)
  wait(count .. " diagnostics", function()
    return #vim.diagnostic.get(buffer) == count
  end)
end

local function disk(path)
  return table.concat(vim.fn.readfile(path), "\n") .. "\n"
end

local function play()
  local train, other = vim.env.FOLDER .. "/train.py", vim.env.FOLDER .. "/sub/other.py"
  local all, fewer = tonumber(vim.env.FINDINGS), tonumber(vim.env.FINDINGS_AFTER)
  vim.cmd("edit " .. train)
  local buffer = vim.api.nvim_get_current_buf()
  local original = text(buffer)
  wait_for_diagnostics(buffer, all)
  report.marked = marked(buffer)

  -- a quick fix where the cursor is; the user takes the first that is offered
  vim.ui.select = function(items, _, choose)
    for _, item in ipairs(items) do
      table.insert(report.shown, (item.action or item[2]).title)
    end
    choose(items[1], 1)
  end
  local line, column = tonumber(vim.env.LINE), tonumber(vim.env.COLUMN)
  vim.api.nvim_win_set_cursor(0, { line, column })
  vim.lsp.buf.code_action()
  wait("the quick fix", function()
    return text(buffer) ~= original
  end)
  report.quick = text(buffer)
  wait_for_diagnostics(buffer, fewer)

  vim.cmd("UncudaFixAll")
  wait("fix all in the file", function()
    return text(buffer) ~= report.quick
  end)
  report.fixed = text(buffer)

  vim.cmd("silent undo | silent undo")
  report.undone = text(buffer)
  wait_for_diagnostics(buffer, all)

  vim.cmd("UncudaFixAllInWorkspace")
  wait("fix all in the workspace", function()
    local found = vim.fn.bufnr(other)
    return text(buffer) ~= original and found > 0 and vim.bo[found].modified
  end)
  report.modified = vim.fn.bufnr(other) > 0 and vim.bo[vim.fn.bufnr(other)].modified
  vim.cmd("silent wall")
  report.saved = { disk(train), disk(other) }

  for _, path in ipairs({ train, other }) do
    vim.cmd("buffer " .. path .. " | silent undo | silent write")
  end
  report.taken_back = { disk(train), disk(other) }

  vim.cmd("buffer " .. train .. " | UncudaFixRule nccl-backend")
  wait("fix of one rule", function()
    return text(buffer) ~= original
  end)
  report.rule = text(buffer)
  vim.cmd("silent undo | silent write")

  vim.cmd("UncudaFixFolder sub")
  wait("fix of a folder", function()
    return vim.bo[vim.fn.bufnr(other)].modified
  end)
  report.folder = { text(buffer), text(vim.fn.bufnr(other)) }
  vim.cmd("buffer " .. other .. " | silent undo | silent write | buffer " .. train)

  vim.cmd("UncudaAccept nccl-backend one node")
  wait("the baseline", function()
    return vim.fn.filereadable(vim.env.FOLDER .. "/uncuda-baseline.jsonl") == 1
  end)
  vim.cmd("silent edit") -- 0.11 asks for diagnostics only when the text is another
  wait_for_diagnostics(buffer, all - 1)
  report.accepted = disk(vim.env.FOLDER .. "/uncuda-baseline.jsonl")

  vim.cmd("UncudaKeepTarget musa")
  wait("the target in the project's settings", function()
    return disk(vim.env.FOLDER .. "/uncuda.toml"):find("musa") ~= nil
  end)
  report.kept = disk(vim.env.FOLDER .. "/uncuda.toml")

  local clients = vim.lsp.get_active_clients or vim.lsp.get_clients
  report.encoding = clients()[1].offset_encoding
  vim.lsp.stop_client(clients())
  wait("the server's end", function()
    return #clients() == 0
  end)
end

local ok, message = pcall(play)
report.error = not ok and tostring(message) or nil
vim.fn.writefile({ vim.fn.json_encode(report) }, vim.env.REPORT)
vim.cmd("qall!")
