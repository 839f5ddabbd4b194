/** The search in the head, and the palette that it opens. The palette is loaded when it is first opened. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { closePalette, isPaletteOpen, openPalette } from './palette-state.ts'

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

export function SearchButton() {
  const [Palette, setPalette] = useState<ComponentType<{ onClose: () => void }> | undefined>()
  const isOpen = isPaletteOpen.value
  useEffect(() => {
    if (!isOpen || Palette) return
    import('../palette/palette.tsx').then(
      (module) => setPalette(() => module.Palette),
      () => closePalette(),
    )
  }, [isOpen])
  return (
    <>
      <button
        type="button"
        class="find"
        onClick={openPalette}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
      >
        <Icon name="search" />
        <span>Search</span>
        <kbd aria-hidden="true">{isApple ? '⌘' : 'Ctrl'} K</kbd>
      </button>
      {isOpen && Palette && <Palette onClose={closePalette} />}
    </>
  )
}
