/** Parts of a view beside each other, each at an address of its own. */
import { hrefOf, param } from '../router.ts'

export interface TabsProps {
  label: string
  tabs: readonly { name: string; title: string; href: string }[]
  chosen: string
}

export const Tabs = ({ label, tabs, chosen }: TabsProps) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ name, title, href }) => (
      <a key={name} href={href} aria-current={name === chosen ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
)

interface Tab {
  name: string
  title: string
}

export interface ViewTabsProps {
  view: string
  label: string
  /** The first is shown where the address names none. */
  tabs: readonly [Tab, ...Tab[]]
}

/** The part that the address names, else the first. */
export const tabAsked = <A extends ViewTabsProps['tabs']>(tabs: A): A[number] =>
  tabs.find(({ name }) => name === param('tab')) ?? tabs[0]

/** Tabs of the address's parameter `tab`. */
export function ViewTabs({ view, label, tabs }: ViewTabsProps) {
  const led = tabs.map(({ name, title }, at) => ({ name, title, href: hrefOf(view, { tab: at === 0 ? null : name }) }))
  return <Tabs label={label} tabs={led} chosen={tabAsked(tabs).name} />
}
