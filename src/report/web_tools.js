// SPDX-License-Identifier: MIT
// What the page's own scripts share. Text reaches the document by textContent only: nothing here reads markup.
'use strict';
const started = performance.now();
const byId = (id) => document.getElementById(id);
const read = (id) => { const block = byId(id); return block ? JSON.parse(block.textContent) : null; };

const make = (tag, properties = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'scope' || name === 'role' || name === 'for') node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children);  // strings become text nodes
  return node;
};
const button = (text, press, properties = {}) => {
  const node = make('button', {type: 'button', textContent: text, ...properties});
  node.addEventListener('click', press);
  return node;
};

// As show_factor() does.
const factor = (value) => {
  const size = Math.abs(value);
  const decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 || size === 0 ? 2 : size >= 0.00095 ? 3 : 4;
  return value.toFixed(decimals) + 'x';
};

// ---- sorting
// Heads get buttons; `sorted(column, direction)` is told. Whoever calls keeps aria-sort right by it alone.
const makeSortable = (heads, sorted) => {
  heads.forEach((head, column) => {
    const name = head.textContent;
    const press = button(name, () => {
      const down = head.getAttribute('aria-sort') === 'descending';
      const first = head.classList.contains('n') ? 'descending' : 'ascending';
      const next = !head.hasAttribute('aria-sort') ? first : down ? 'ascending' : 'descending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', next);
      sorted(column, next === 'ascending' ? 1 : -1);
    }, {className: 'sort'});
    head.replaceChildren(press);
  });
};
// What has no value comes last, whichever the direction.
const compare = (a, b, direction) => {
  const noA = a === null || a === undefined || a === '', noB = b === null || b === undefined || b === '';
  if (noA || noB) return noA - noB;
  return (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', {numeric: true})) * direction;
};
const cellValue = (row, column) => {
  const cell = row.cells[column];
  const given = cell.dataset.v;
  if (given !== undefined) return given === '' ? null : Number(given);
  const text = cell.textContent;
  return text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
};
const sortTable = (table, column, direction) => {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row, i) => ({row, i, value: cellValue(row, column)}));
  rows.sort((a, b) => compare(a.value, b.value, direction) || a.i - b.i);
  body.append(...rows.map((one) => one.row));
};
