/** Colours of series: twelve, then from the beginning; what stands for the rest is grey. */

const colorCount = 12

/** The CSS variable of a series. */
const variableOf = (place: number, isOther = false): string =>
  isOther ? '--c-other' : `--c${(place % colorCount) + 1}`

/** The attributes of the sample of an overlay's line. */
export const lineSwatchOf = (isDotted = false): { class: string } =>
  isDotted ? { class: 'swatch overlay dotted' } : { class: 'swatch overlay' }

export const colorOf = (place: number, isOther = false): string => `var(${variableOf(place, isOther)})`

/** The attributes of a square of its colour. */
export const swatchOf = (place: number, isOther = false): { class: string } =>
  isOther ? { class: 'swatch c-other' } : { class: `swatch c${(place % colorCount) + 1}` }

/** A variable's value in the current theme. */
export const themeValue = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

export const drawnColor = (place: number, isOther = false): string => themeValue(variableOf(place, isOther))
