/** Colours of series: twelve, then from the beginning; what stands for the rest is grey. */

const colorCount = 12

/** The CSS variable of a series. */
const variableOf = (place: number, isOther = false): string =>
  isOther ? '--c-other' : `--c${(place % colorCount) + 1}`

export const colorOf = (place: number, isOther = false): string => `var(${variableOf(place, isOther)})`

export const swatchOf = (place: number, isOther = false): string =>
  isOther ? 'swatch c-other' : `swatch c${(place % colorCount) + 1}`

/** A variable's value in the current theme. */
export const themeValue = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

export const drawnColor = (place: number, isOther = false): string => themeValue(variableOf(place, isOther))
