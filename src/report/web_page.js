// SPDX-License-Identifier: MIT
// What a reader does with the page: themes, sorting, filters, candidates. After web_tools.js and web_candidate.js.
(() => {
  const PAGE_ROWS = 100;
  const index = read('index');
  const rulesCount = index.rules.length;
  const candidates = index.candidates.map((row) => ({
    id: row[0], run: row[1], problem: row[2], sample: row[3], labels: row[5] || [],
    verdicts: row[4].map((v) => ({code: index.codes[v[0]], correct: v.length > 1, speedup: v[1], low: v[2], high: v[3], resolved: v[4] === 1, memory: v[5]})),
  }));
  const problemName = (p) => { const [level, number, name] = index.problems[p]; return `L${level} ${number} ${name}`; };
  for (const one of candidates)
    one.words = [index.runs[one.run], problemName(one.problem), 'sample ' + one.sample, ...one.labels.map((l) => index.labels[l])].join(' ').toLowerCase();
  const positions = new Map(candidates.map((one, i) => [one.id, i]));

  // ---- theme
  const themeButton = byId('theme');
  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  };
  const nameTheme = () => { themeButton.textContent = isDark() ? 'Light' : 'Dark'; };
  try {  // storage may be forbidden
    const kept = localStorage.getItem('kbv-theme');
    if (kept === 'dark' || kept === 'light') document.documentElement.dataset.theme = kept;
  } catch (error) { void error; }
  themeButton.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem('kbv-theme', document.documentElement.dataset.theme); } catch (error) { void error; }
    nameTheme();
  });
  nameTheme();
  themeButton.hidden = false;

  // Heads over two lines: those of one line span both and come first, then the second line's.
  const headsOf = (table) => [...table.tHead.querySelectorAll('th')].filter((head) => head.scope === 'col');
  for (const table of document.querySelectorAll('table.sortable'))
    makeSortable(headsOf(table), (column, direction) => sortTable(table, column, direction));

  // ---- levels of the leaderboard
  const levels = [...document.querySelectorAll('section.level')];
  if (levels.length > 1) {
    const choices = byId('levels');
    const show = (chosen) => levels.forEach((section, i) => {
      section.hidden = i !== chosen;
      choices.children[i].setAttribute('aria-pressed', String(i === chosen));
    });
    levels.forEach((section, i) => choices.append(button(section.querySelector('h3').textContent, () => show(i))));
    choices.setAttribute('role', 'group');
    choices.setAttribute('aria-label', 'Level');
    choices.hidden = false;
    show(0);
  }

  // ---- explanations: open where nothing can open them, without this script and in print
  for (const key of document.querySelectorAll('details.key')) {
    let wasOpen = key.open = false;
    addEventListener('beforeprint', () => { wasOpen = key.open; key.open = true; });
    addEventListener('afterprint', () => { key.open = wasOpen; });
  }

  // ---- filters
  const filter = {words: [], level: '', run: '', verdict: '', rule: rulesCount - 1};
  const choice = (name, id, options, changed) => {
    const select = make('select', {id});
    for (const [value, text] of options) select.append(make('option', {value, textContent: text}));
    select.addEventListener('change', () => { changed(select.value); refresh(); });
    return make('label', {}, make('span', {textContent: name}), select);
  };
  const levelsThere = [...new Set(index.problems.map((p) => p[0]))].sort((a, b) => a - b);
  const codesThere = [...new Set(candidates.flatMap((one) => one.verdicts.map((v) => v.code)))].sort();
  const search = make('input', {type: 'search', id: 'filter-text', placeholder: 'name, run, label', autocomplete: 'off', spellcheck: false});
  let waiting = 0;
  search.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(() => { filter.words = search.value.toLowerCase().split(/\s+/).filter(Boolean); refresh(); }, 80); });
  const bar = byId('filters');
  const count = make('output', {id: 'filter-count', 'aria-live': 'polite'});
  const rule = choice('Rules', 'filter-rule', index.rules.map((name, i) => [String(i), name]), (value) => { filter.rule = Number(value); });
  rule.lastChild.value = String(filter.rule);
  bar.append(
    make('label', {className: 'wide'}, make('span', {textContent: 'Filter'}), search),
    choice('Level', 'filter-level', [['', 'all'], ...levelsThere.map((l) => [String(l), String(l)])], (value) => { filter.level = value; }),
    choice('Run', 'filter-run', [['', 'all'], ...index.runs.map((name, i) => [String(i), name])], (value) => { filter.run = value; }),
    choice('Verdict', 'filter-verdict', [['', 'all'], ...codesThere.map((code) => [code, code])], (value) => { filter.verdict = value; }),
    rule,
    button('Clear', () => {
      Object.assign(filter, {words: [], level: '', run: '', verdict: ''});
      search.value = '';
      for (const select of bar.querySelectorAll('select')) if (select.id !== 'filter-rule') select.value = '';
      refresh();
    }, {id: 'filter-clear'}),
    count);
  bar.setAttribute('role', 'search');
  bar.hidden = false;

  const levelFits = (p) => filter.level === '' || String(index.problems[p][0]) === filter.level;
  const runFits = (run) => filter.run === '' || String(run) === filter.run;
  const fits = (one) => levelFits(one.problem) && runFits(one.run) && filter.words.every((word) => one.words.includes(word)) &&
                        (filter.verdict === '' || one.verdicts[filter.rule].code === filter.verdict);

  // ---- problems
  const problemTable = byId('problem-table');
  const problemRows = new Map([...problemTable.tBodies[0].rows].map((row) => [Number(row.dataset.p), row]));
  let bestShown = rulesCount - 1;
  const showBest = () => {
    if (bestShown === filter.rule) return;
    bestShown = filter.rule;
    for (const row of problemRows.values()) for (let i = 3; i < row.cells.length; ++i) { row.cells[i].replaceChildren(); row.cells[i].dataset.v = ''; }
    index.best[filter.rule].forEach((list, run) => {
      for (const [p, id, codeNumber, speedup] of list) {
        const row = problemRows.get(p), code = index.codes[codeNumber], correct = code === 'correct';
        if (!row) continue;
        const cell = row.cells[3 + run];
        cell.className = !correct ? 'n code' : speedup === null ? 'n' : speedup > 1 ? 'n good' : 'n slow';
        cell.dataset.v = correct && speedup !== null ? speedup : '';
        const text = !correct ? code : speedup === null ? 'correct' : factor(speedup);
        cell.append(id > 0 ? make('a', {href: '#c' + id, textContent: text}) : text);
      }
    });
    byId('problems-hint').textContent = `Each run's fastest correct candidate, by ${index.rules[filter.rule]}; where there is none, why.`;
  };
  const columnHeads = headsOf(problemTable);
  const filterProblems = (there) => {
    for (const [p, row] of problemRows) {
      const name = problemName(p).toLowerCase();
      const untouched = filter.run === '' && filter.verdict === '' && filter.words.every((word) => name.includes(word));
      row.hidden = !levelFits(p) || !(there.has(p) || untouched);
    }
    index.runs.forEach((name, run) => {
      const hidden = !runFits(run);
      columnHeads[3 + run].hidden = hidden;
      for (const row of problemRows.values()) row.cells[3 + run].hidden = hidden;
    });
  };

  // ---- the list of candidates
  let shown = [], page = 0;
  const order = {key: null, direction: 1};
  const columns = [
    {name: 'Run', key: (one) => index.runs[one.run]},
    {name: 'Problem', key: (one) => one.problem},
    {name: 'Sample', number: true, key: (one) => one.sample},
    ...index.rules.flatMap((name, i) => [
      {name, key: (one) => one.verdicts[i].code},
      {name: 'speedup', number: true, key: (one) => one.verdicts[i].speedup},
    ]),
    {name: 'memory', number: true, key: (one) => one.verdicts[rulesCount - 1].memory},
    {name: 'Labels', key: (one) => one.labels.map((l) => index.labels[l]).join(', ')},
  ];
  const heads = columns.map((column) => make('th', {scope: 'col', className: column.number ? 'n' : '', textContent: column.name}));
  makeSortable(heads, (column, direction) => { order.key = columns[column].key; order.direction = direction; page = 0; arrange(); list(); });
  const body = make('tbody');
  const pager = make('div', {className: 'pager'});
  byId('candidate-list').append(
    make('div', {className: 'scroll', tabIndex: 0}, make('table', {id: 'candidate-table'}, make('thead', {}, make('tr', {}, ...heads)), body)), pager);

  const verdictCells = (verdict) => {
    const code = make('td', {className: verdict.correct ? 'good' : verdict.code === 'not_run' || verdict.code.endsWith('_error') && /^(machine|problem)/.test(verdict.code) ? 'dim' : 'bad', textContent: verdict.code});
    const speed = make('td', {className: 'n', textContent: verdict.correct && verdict.speedup ? factor(verdict.speedup) + (verdict.resolved ? '' : ' ?') : ''});
    if (verdict.low && verdict.high) speed.title = `95 % interval ${factor(verdict.low)} to ${factor(verdict.high)}${verdict.resolved ? '' : '; an estimate that the measurement does not bear out'}`;
    return [code, speed];
  };
  const rowOf = (one) => make('tr', {},
    make('td', {textContent: index.runs[one.run]}),
    make('td', {}, make('a', {href: '#c' + one.id, textContent: problemName(one.problem)})),
    make('td', {className: 'n', textContent: one.sample}),
    ...one.verdicts.flatMap(verdictCells),
    make('td', {className: 'n', textContent: one.verdicts[rulesCount - 1].memory ? factor(one.verdicts[rulesCount - 1].memory) : ''}),
    make('td', {className: 'dim', textContent: one.labels.map((l) => index.labels[l]).join(', ')}));
  const list = () => {
    const pages = Math.max(1, Math.ceil(shown.length / PAGE_ROWS));
    page = Math.min(Math.max(page, 0), pages - 1);
    body.replaceChildren(...shown.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS).map(rowOf));
    const go = (to) => () => { page = to; list(); };
    pager.replaceChildren(
      button('Previous', go(page - 1), {disabled: page === 0}),
      make('span', {textContent: shown.length === 0 ? 'No candidate fits' : `${page * PAGE_ROWS + 1} to ${Math.min(shown.length, (page + 1) * PAGE_ROWS)} of ${shown.length}`}),
      button('Next', go(page + 1), {disabled: page >= pages - 1}));
  };
  const arrange = () => {
    if (order.key) shown = shown.map((one, i) => ({one, i, value: order.key(one)})).sort((a, b) => compare(a.value, b.value, order.direction) || a.i - b.i).map((entry) => entry.one);
  };
  const refresh = () => {
    shown = candidates.filter(fits);
    arrange();
    page = 0;
    list();
    showBest();
    filterProblems(new Set(shown.map((one) => one.problem)));
    count.textContent = `${shown.length} of ${candidates.length} candidates`;
  };

  // ---- one candidate
  const article = byId('candidate'), overview = byId('overview');
  let scrolled = 0;
  const open = (id) => {
    const at = positions.get(id);
    if (at === undefined) return close();
    const one = candidates[at], details = read('d' + id);
    if (article.hidden) scrolled = scrollY;
    // Neighbours in the list as it is filtered and sorted, if this one is in it.
    const place = shown.indexOf(one), near = place >= 0 ? shown : candidates, here = place >= 0 ? place : at;
    const neighbour = (text, other) => other ? make('a', {className: 'button', href: '#c' + other.id, textContent: text}) : '';
    const heading = make('h2', {tabIndex: -1, id: 'candidate-heading', textContent: problemName(one.problem)});
    const chips = make('ul', {className: 'chips'}, ...one.verdicts.map((verdict, i) => make('li', {},
      make('span', {className: 'dim', textContent: index.rules[i]}),
      make('strong', {className: verdict.correct ? 'good' : 'bad', textContent: verdict.code}),
      verdict.correct && verdict.speedup ? make('span', {textContent: factor(verdict.speedup) + (verdict.resolved ? '' : ' ?')}) : '')));
    const note = index.problems[one.problem][3];
    article.replaceChildren(
      make('nav', {className: 'steps', 'aria-label': 'Candidates'}, make('a', {className: 'button', href: '#candidates', textContent: 'All candidates'}),
        neighbour('Previous', near[here - 1]), neighbour('Next', near[here + 1])),
      heading,
      make('p', {className: 'byline'}, make('strong', {textContent: index.runs[one.run]}), `, sample ${one.sample}`, make('span', {className: 'dim', textContent: details ? '  ' + details.path : ''})),
      chips,
      ...(one.labels.length ? [make('p', {textContent: 'Labels: ' + one.labels.map((l) => index.labels[l]).join(', ')})] : []),
      ...(note ? [make('p', {className: 'remark', textContent: 'Problem: ' + note})] : []),
      ...(details ? [...sectionNodes(details.sections), ...sourceNodes(details)] : [make('p', {textContent: 'This page has no details of it.'})]));
    article.hidden = false;
    overview.hidden = true;
    byId('facts').hidden = true;
    scrollTo(0, 0);
    heading.focus({preventScroll: true});
  };
  const close = () => {
    if (article.hidden) return;
    article.hidden = true;
    article.replaceChildren();
    overview.hidden = false;
    byId('facts').hidden = false;
    const target = location.hash.length > 1 ? byId(location.hash.slice(1)) : null;
    if (target && location.hash !== '#candidates') target.scrollIntoView();
    else scrollTo(0, scrolled);
  };
  const route = () => {
    const match = /^#c([1-9][0-9]{0,15})$/.exec(location.hash);
    if (match) open(Number(match[1]));
    else close();
  };
  addEventListener('hashchange', route);
  addEventListener('keydown', (event) => {
    if (event.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && article.hidden && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
    }
  });

  refresh();
  route();
  // #measure: how long it took until all of the above was there, and painted; docs/report-page.md has figures.
  document.documentElement.dataset.ready = '1';
  if (location.hash === '#measure') {
    document.documentElement.dataset.readMs = started.toFixed(0);
    document.documentElement.dataset.scriptMs = performance.now().toFixed(0);
    requestAnimationFrame(() => setTimeout(() => { document.documentElement.dataset.paintMs = performance.now().toFixed(0); }));
  }
})();
