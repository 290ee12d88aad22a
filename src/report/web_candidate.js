// SPDX-License-Identifier: MIT
// One candidate's details as elements: the lists that web_details.cpp writes.
const INKS = ['', 'strong', 'dim', 'good', 'bad', 'warn'];  // enum class Ink
let shared = null;
const textOf = (value) => {
  if (typeof value !== 'number') return value;
  if (!shared) shared = read('shared') || [];
  return shared[value] === undefined ? '' : shared[value];
};
const cellOf = (tag, cell, align) => {
  const [text, ink] = Array.isArray(cell) ? cell : [cell, 0];
  return make(tag, {className: `${align === 'r' ? 'n ' : ''}${INKS[ink] || ''}`, textContent: textOf(text).replace(/^ +/, '')});
};
const tableOf = (headers, align, rows) => {
  const head = make('tr', {}, ...headers.map((text, i) => { const th = cellOf('th', text, align[i]); th.scope = 'col'; return th; }));
  const lines = rows.map((row) => make('tr', {}, ...headers.map((_, i) => cellOf(i === 0 ? 'th' : 'td', row[i] === undefined ? '' : row[i], align[i]))));
  for (const line of lines) line.cells[0].scope = 'row';
  return make('div', {className: 'scroll', tabIndex: 0}, make('table', {className: 'small'}, make('thead', {}, head), make('tbody', {}, ...lines)));
};
const sectionNodes = (sections) => {
  const nodes = [];
  let facts = null;
  for (const [kind, ...rest] of sections) {
    if (kind === 'f') {
      if (!facts) nodes.push(facts = make('dl', {className: 'pairs'}));
      facts.append(make('dt', {textContent: textOf(rest[0])}), make('dd', {className: INKS[rest[2] || 0], textContent: textOf(rest[1])}));
      continue;
    }
    facts = null;
    if (kind === 'h') nodes.push(make('h3', {textContent: textOf(rest[0])}));
    else if (kind === 'p') nodes.push(make('p', {className: INKS[rest[1] || 0], textContent: textOf(rest[0])}));
    else if (kind === '!') nodes.push(make('p', {className: 'remark', textContent: textOf(rest[0])}));
    else if (kind === 't') nodes.push(tableOf(rest[0], rest[1], rest[2]));
    else if (kind === 'q') nodes.push(make('pre', {tabIndex: 0, textContent: rest[0]}));
  }
  return nodes;
};
const sourceNodes = (details) => {
  const source = details.source ? read('s' + details.source) : null;
  if (source === null) return [];
  const nodes = [make('h3', {textContent: 'Source'})];
  if (details.left_out > 0) nodes.push(make('p', {className: 'remark', textContent: `The last ${details.left_out} bytes are left out here; the campaign has them.`}));
  nodes.push(make('pre', {className: 'source', tabIndex: 0, textContent: source}));
  return nodes;
};
