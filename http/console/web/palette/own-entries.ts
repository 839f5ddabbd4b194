/** What the palette offers without asking: recently seen, views, saved views, actions and documents. */
import { addressOf } from '../address.ts'
import { copyAddress } from '../frame/copy-link.tsx'
import { focusNextHeading } from '../frame/heading.ts'
import { menuEntries } from '../frame/menu-entries.ts'
import { recentItems } from '../frame/recent.ts'
import { showKeys } from '../part/keys.tsx'
import { hrefOfSaved, type SavedViews } from '../part/saved-views.tsx'
import { go } from '../router.ts'
import { may, signOut } from '../session.ts'
import { switchTheme } from '../theme.ts'
import type { PaletteEntry } from './entry.ts'

/** Opens an address of the console, and moves the keyboard to what it shows. */
export function open(href: string): void {
  const to = new URL(href, location.href)
  const view = to.pathname.split('/').at(-1) || 'overview'
  go(view, to.searchParams)
  focusNextHeading()
}

export const recentEntries = (): PaletteEntry[] =>
  recentItems().map(({ href, title, view }) => ({
    id: `recent ${href}`,
    group: 'Recently seen',
    title,
    icon: view,
    run: () => open(href),
  }))

export const viewEntries = (): PaletteEntry[] =>
  menuEntries
    .filter(({ view }) => may(view.permission))
    .map(({ name, title, group, href }) => ({
      id: `view ${name}`,
      group: 'Views',
      title,
      detail: group,
      icon: name,
      run: () => open(href),
    }))

export const savedEntries = (saved: SavedViews): PaletteEntry[] =>
  saved.map((one) => ({
    id: `saved ${one.id}`,
    group: 'Saved views',
    title: one.name,
    icon: 'saved',
    run: () => open(hrefOfSaved(one)),
  }))

interface Action {
  title: string
  permission?: string
  run: () => void
}

const actions: readonly Action[] = [
  { title: 'Connect a cloud account', permission: 'service.create', run: () => open('sources?connect=aws') },
  { title: 'Upload a bill', permission: 'service.create', run: () => open('sources?tab=bills') },
  { title: 'Create a budget', permission: 'service.create', run: () => open('budgets?new=team') },
  { title: 'Create a dashboard', permission: 'service.view', run: () => open('dashboards?new=dashboard') },
  { title: 'Create a schedule', permission: 'service.create', run: () => open('schedules?new=schedule') },
  { title: 'Invite a member', permission: 'admin', run: () => open('members') },
  { title: 'Copy the link to this page', run: () => void copyAddress() },
  { title: 'Switch between light and dark', run: switchTheme },
  { title: 'Show keyboard shortcuts', run: showKeys },
  { title: 'Sign out', run: () => void signOut() },
]

export const actionEntries = (): PaletteEntry[] =>
  actions
    .filter(({ permission }) => permission === undefined || may(permission))
    .map(({ title, run }) => ({ id: `action ${title}`, group: 'Actions', title, icon: 'action', run }))

const documents = [
  { title: 'API reference', path: 'GET /docs' },
  { title: 'OpenAPI document', path: 'GET /openapi.json' },
  { title: 'Typed API client', path: 'GET /client.ts' },
]

export const documentEntries = (): PaletteEntry[] =>
  documents.map(({ title, path }) => ({
    id: `docs ${path}`,
    group: 'Documents',
    title,
    icon: 'docs',
    run: () => void window.open(addressOf(path), '_blank', 'noopener'),
  }))
