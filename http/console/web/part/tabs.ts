/** Parts of a view, each at an address of its own. */
import { html } from '../html.ts'

export interface TabsProps {
  label: string
  tabs: readonly { name: string; title: string; href: string }[]
  chosen: string
}

export const Tabs = ({ label, tabs, chosen }: TabsProps) =>
  html`<nav class="tabs" aria-label=${label}>${tabs.map(({ name, title, href }) => html`<a key=${name} href=${href} aria-current=${name === chosen ? 'page' : undefined}>${title}</a>`)}</nav>`
