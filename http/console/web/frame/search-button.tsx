/** The search in the head, and the palette that it opens. The palette is loaded when it is first opened. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { signal } from '@preact/signals'
import { Icon } from './icon.tsx'

export const isPaletteOpen = signal(false)

export const openPalette = (): void => {
  isPaletteOpen.value = true
}

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

export function SearchButton() {
  const [Palette, setPalette] = useState<ComponentType<{ onClose: () => void }> | undefined>()
  const isOpen = isPaletteOpen.value
  useEffect(() => {
    if (!isOpen || Palette) return
    import('../palette/palette.tsx').then(
      (module) => setPalette(() => module.Palette),
      () => close(),
    )
  }, [isOpen])
  return (
    <>
      <button type="button" class="find" onClick={openPalette} aria-haspopup="dialog" aria-label="Search and commands">
        <Icon name="search" />
        <span>Search</span>
        <kbd>{isApple ? '⌘' : 'Ctrl'} K</kbd>
      </button>
      {isOpen && Palette && <Palette onClose={close} />}
    </>
  )
}

const close = (): void => {
  isPaletteOpen.value = false
}
