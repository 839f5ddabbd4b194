/** Parts of a view beside each other; which one is shown stands in the address. */
import { html } from '../html.ts'
import { hrefOf, param } from '../place.ts'

export interface TabbedProps {
  view: string
  label: string
  /** The first is shown where the address names none. */
  tabs: readonly { name: string; title: string }[]
}

export const tabAsked = (tabs: TabbedProps['tabs']): string =>
  (tabs.find(({ name }) => name === param('tab')) ?? tabs[0]!).name

export const Tabbed = ({ view, label, tabs }: TabbedProps) =>
  html`<nav class="tabs" aria-label=${label}>${tabs.map(({ name, title }, at) => html`<a key=${name} href=${hrefOf(view, { tab: at === 0 ? null : name })} aria-current=${name === tabAsked(tabs) ? 'page' : undefined}>${title}</a>`)}</nav>`
