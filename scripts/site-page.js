/* In the pages of npm run site: formulas; a click on a figure's picture draws the figure itself, with its menus and sliders; a box opens all code. */
'use strict';

for (const place of document.querySelectorAll('.tex'))
  globalThis.katex.render(place.textContent, place, { displayMode: place.classList.contains('display') });

function load(source) {
  const script = document.createElement('script');
  script.src = source;
  document.head.append(script);
  return new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: reject }));
}

/** Called by the script that lies beside the picture. */
globalThis.showFigure = (image, { data, layout, config, frames }) => {
  const place = document.createElement('div');
  document.querySelector(`img[src="${image}"]`).replaceWith(place);
  globalThis.Plotly.newPlot(place, { data, layout, config, frames });
};

for (const picture of document.querySelectorAll('.output_png img')) {
  picture.title = 'click: draw it with its menus, sliders and numbers';
  const draw = async () => {
    if (!globalThis.Plotly) await load('plotly.js');
    await load(picture.getAttribute('src').replace(/\.png$/, '.js'));
  };
  picture.addEventListener('click', draw, { once: true });
}

document.querySelector('#code').addEventListener('change', ({ target }) => {
  for (const code of document.querySelectorAll('main details')) code.open = target.checked;
});
