// What was gained, asked for again and again; it also tells whether the server is there.

const SOON = 1000, LATER = 5000; // ms
let timer = null;
let updates = null; // how many there were
let aligned = 0; // recordings, in the background

async function watch() {
  clearTimeout(timer);
  let wait = SOON;
  try {
    const progress = await get("progress");
    const back = gone !== "";
    gone = "";
    showGains(progress);
    const many = progress.updates.length + progress.put_back.length;
    if (updates !== null && updates !== many) await learnt();
    else if (aligned !== progress.aligned) await readQueue();
    updates = many;
    aligned = progress.aligned;
    if (back) await flush();
    wait = progress.doing ? SOON : LATER;
  } catch (error) {
    if (error instanceof Refused) say(error.message);
    else lost(error);
  }
  tellOutbox();
  timer = setTimeout(watch, wait);
}

// The model is another one: the queue has another order, and what is not corrected other times.
async function learnt() {
  await readQueue();
  const { name } = view.recording ?? {};
  if (name === undefined || state.drag || edited || outbox.some((item) => item.name === name)) return;
  const answer = await get("recording", name);
  if (answer.revision !== revisions.get(name) && view.recording.name === name) arrived(answer);
}

const number = (value) => (value === null || value === undefined ? "" : value.toFixed(1));

function showGains(progress) {
  const { errors_per_100: errors, learns, doing, problem } = progress;
  const done = progress.confirmed, all = done + progress.waiting + progress.failed;
  $("done").textContent = `${done} of ${all} recordings are confirmed`
    + (progress.failed ? `, ${progress.failed} failed` : "");
  $("done-bar").max = Math.max(1, all);
  $("done-bar").value = done;
  const rows = [["as they would be with the model you began with", errors?.fixed_model],
    ["with the model as it learnt", errors?.now],
    ["of these, the last ten recordings", errors?.window]].filter(([, value]) => value !== null && value !== undefined);
  $("errors").replaceChildren(...rows.map(([what, value]) => {
    const row = document.createElement("tr");
    row.append(element("td", "", what), element("td", "number", number(value)));
    return row;
  }));
  $("errors-table").hidden = rows.length === 0;
  $("learning").textContent = !learns ? "Learning is switched off (--no-learn)."
    : doing === "learning" ? "Learning ..." : learnText(progress);
  $("aligning").textContent = doing === "aligning" ? "Aligning what waits ..." : "";
  $("put-back").textContent = progress.put_back.length ? putBackText(progress.put_back) : "";
  const last = progress.updates.at(-1);
  $("problem").textContent = problem ? `It went wrong in the background: ${problem}`
    : last?.failed ? `${last.name} could not be learnt from: ${last.failed}` : "";
}

function learnText({ updates: made, seconds_spent: spent }) {
  if (!made.length) return "Nothing has been learnt yet; it begins with the first recording that you confirm.";
  return `Learnt ${made.length} ${made.length === 1 ? "time" : "times"}, ${number(spent ?? 0)} s in all.`;
}

function putBackText(entries) {
  const many = entries.length === 1 ? "A model was" : `${entries.length} models were`;
  return `${many} put back, since what was confirmed came out worse: ${entries.at(-1).put_back}.`;
}
