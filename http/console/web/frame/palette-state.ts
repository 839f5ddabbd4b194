/** Whether the palette is open: keys, the head and the palette itself share it. */
import { signal } from '@preact/signals'

export const isPaletteOpen = signal(false)

export const openPalette = (): void => {
  isPaletteOpen.value = true
}

export const closePalette = (): void => {
  isPaletteOpen.value = false
}
