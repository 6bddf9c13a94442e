'use strict';
// What is open is the target of the address, and the style sheet shows it. This adds the
// search and the keys.
(() => {
  const list = document.getElementById('list');
  const query = document.getElementById('q');
  const found = document.getElementById('found');
  const rows = [...list.querySelectorAll('tr[data-for]')];
  const title = document.title;
  document.getElementById('find').hidden = rows.length === 0;

  // opened returns the screen that the address is of, with its elements made.
  const opened = () => {
    const id = location.hash.slice(1); // ids need no escapes
    const target = document.getElementById(id) ?? document.getElementById(id.replace(/\/\d+$/, ''));
    const screen = target?.closest('.screen') ?? null;
    const source = screen?.querySelector(':scope > noscript');
    if (source) {
      screen.innerHTML = source.textContent; // of this page: everything in it is escaped
      if (id !== screen.id) location.replace(location.hash); // to a call that was not there before
    }
    return screen;
  };

  // What is searched of a cassette, read when it is first searched: all but what is on the page twice.
  const texts = new Map();
  const entities = { amp: '&', lt: '<', gt: '>' };
  const plain = (html) => html
    .replace(/<(details class="raw"|table class="calls"|nav)[^]*?<\/(details|table|nav)>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:#(\d+)|(amp|lt|gt));/g, (_, code, name) => (code ? String.fromCodePoint(code) : entities[name]));
  const textOf = (row) => {
    if (!texts.has(row)) {
      const screen = document.getElementById(row.dataset.for);
      const source = screen.querySelector(':scope > noscript');
      const text = plain(source ? source.textContent : screen.innerHTML);
      texts.set(row, { text, lower: text.toLowerCase(), own: row.textContent.toLowerCase() });
    }
    return texts.get(row);
  };
  const words = () => query.value.toLowerCase().split(/\s+/).filter(Boolean);

  // excerpt returns what stands around a word in the texts of a cassette.
  const excerpt = (t, word) => {
    const hit = document.createElement('p');
    hit.className = 'hit';
    const at = t.lower.indexOf(word);
    const b = document.createElement('b');
    b.textContent = t.text.slice(at, at + word.length);
    const before = t.text.slice(Math.max(0, at - 50), at).replace(/^\S*\s/, '').replace(/\s+/g, ' ');
    const after = t.text.slice(at + word.length, at + word.length + 70).replace(/\s\S*$/, '').replace(/\s+/g, ' ');
    hit.append(`… ${before}`, b, `${after} …`);
    return hit;
  };

  const search = () => {
    const all = words();
    let n = 0;
    for (const row of rows) {
      row.querySelector('.hit')?.remove();
      const t = all.length ? textOf(row) : null;
      row.hidden = all.some((w) => !t.own.includes(w) && !t.lower.includes(w));
      if (row.hidden) continue;
      n++;
      const inside = all.find((w) => !t.own.includes(w));
      if (inside) row.querySelector('th').append(excerpt(t, inside));
    }
    for (const body of list.querySelectorAll('tbody')) {
      body.hidden = !body.querySelector('tr[data-for]:not([hidden])');
    }
    list.querySelector('.list')?.classList.toggle('searching', all.length > 0);
    found.textContent = all.length ? `${n} of ${rows.length} found` : '';
    highlight();
  };

  // highlight marks the words that were searched for in what is open.
  const highlight = () => {
    if (!window.Highlight) return;
    const ranges = [];
    const screen = opened();
    const all = words();
    if (screen && all.length) {
      const walker = document.createTreeWalker(screen, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const lower = node.data.toLowerCase();
        if (lower.length !== node.data.length) continue;
        for (const w of all) {
          for (let at = lower.indexOf(w); at >= 0; at = lower.indexOf(w, at + w.length)) {
            const range = new Range();
            range.setStart(node, at);
            range.setEnd(node, at + w.length);
            ranges.push(range);
          }
        }
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges));
  };

  let last = null; // the screen that was open
  // close goes back to the list. The event of what opened this screen may still be to come.
  const close = () => { if (opened()) { last = opened(); location.hash = ''; } };
  const show = () => {
    const screen = opened();
    document.title = screen ? `${screen.getAttribute('aria-label')} - ${title}` : title;
    if (!screen && last && document.activeElement !== query) {
      const row = rows.find((r) => r.dataset.for === last.id && !r.hidden);
      row?.querySelector('a').focus();
    }
    last = screen;
    highlight();
  };

  // step moves the focus to the next (1) or the previous (-1) of some elements.
  const step = (all, by) => {
    const at = all.findIndex((e) => e.contains(document.activeElement));
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  const visible = () => rows.filter((r) => !r.hidden).map((r) => r.querySelector('a'));

  const keys = {
    '/': () => { close(); query.focus(); query.select(); },
    j: () => step(opened() ? [...opened().querySelectorAll('.call')] : visible(), 1),
    k: () => step(opened() ? [...opened().querySelectorAll('.call')] : visible(), -1),
    ']': () => opened()?.querySelector('[rel=next]')?.click(),
    '[': () => opened()?.querySelector('[rel=prev]')?.click(),
    Escape: close,
  };
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    if (e.target === query) {
      if (e.key === 'Escape') { query.value = ''; search(); query.blur(); }
      if (e.key === 'ArrowDown' || e.key === 'Enter') { e.preventDefault(); visible()[0]?.focus(); }
      return;
    }
    if (e.target.matches('input')) return;
    const arrows = { ArrowDown: 'j', ArrowUp: 'k' };
    const key = !opened() && document.activeElement.closest('.list') ? arrows[e.key] || e.key : e.key;
    if (Object.hasOwn(keys, key)) { e.preventDefault(); keys[key](); }
  });
  document.getElementById('find').addEventListener('submit', (e) => e.preventDefault());
  query.addEventListener('input', search);
  window.addEventListener('hashchange', show);
  if (query.value) search();
  show();
})();
