/* In the pages of npm run site: a click on a figure's picture draws the figure itself, with its menus and sliders; a box opens all code. */
'use strict';

function load(source) {
  const script = document.createElement('script');
  script.src = source;
  document.head.append(script);
  return new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = reject;
  });
}

/** Called by the script that lies beside the picture. */
globalThis.showFigure = (image, { data, layout, config, frames }) => {
  const picture = document.querySelector(`img[src="${image}"]`);
  const place = document.createElement('div');
  picture.replaceWith(place);
  globalThis.Plotly.newPlot(place, { data, layout, config, frames });
};

let plotly;
for (const picture of document.querySelectorAll('.output_png img')) {
  picture.title = 'click: draw it with its menus, sliders and numbers';
  picture.addEventListener(
    'click',
    async () => {
      plotly ??= load('plotly.js');
      await plotly;
      await load(picture.getAttribute('src').replace(/\.png$/, '.js'));
    },
    { once: true },
  );
}

document.querySelector('#code')?.addEventListener('change', ({ target }) => {
  for (const code of document.querySelectorAll('main details')) code.open = target.checked;
});
