/** Light or dark: as the system has it unless a person chose. */
import { signal } from '@preact/signals'

export type Theme = 'light' | 'dark'
const readSavedTheme = (): Theme | undefined => {
  const kept = localStorage.getItem('theme')
  return kept === 'light' || kept === 'dark' ? kept : undefined
}
const system = matchMedia('(prefers-color-scheme: dark)')
const resolveTheme = (): Theme => readSavedTheme() ?? (system.matches ? 'dark' : 'light')

export const theme = signal<Theme>(resolveTheme())

const apply = (): void => {
  theme.value = resolveTheme()
  document.documentElement.dataset['theme'] = theme.value
}

export function watchTheme(): void {
  apply()
  system.addEventListener('change', apply)
}

export function switchTheme(): void {
  localStorage.setItem('theme', theme.value === 'dark' ? 'light' : 'dark')
  apply()
}
