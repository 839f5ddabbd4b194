/** The views, in the order of the menu: a capability adds its folder and one line. */
import type { ComponentType } from 'preact'

type Load = () => Promise<{ View: ComponentType }>

export interface View {
  /** The last part of its address. */
  name: string
  title: string
  /** Pressed after `g`, it opens the view. */
  key: string
  /** Not in the menu, and without a key: a view of a single object, opened from its list. */
  hidden?: boolean
  group: 'Costs' | 'Allocation' | 'Savings' | 'Automation' | 'Data' | 'Organization'
  /** The permission that the API requires; the menu shows if it is missing. */
  permission: string
  load: Load
}

const view = (
  group: View['group'],
  name: string,
  title: string,
  key: string,
  load: Load,
  permission = 'service.view',
): View => ({ name, title, key, group, permission, load })

export const views: readonly View[] = [
  view('Costs', 'overview', 'Overview', 'o', () => import('./overview/view.ts')),
  view('Costs', 'costs', 'Explorer', 'c', () => import('./costs/view.ts')),
  view('Costs', 'kubernetes', 'Kubernetes', '8', () => import('./kubernetes/view.ts')),
  view('Costs', 'anomalies', 'Anomalies', 'a', () => import('./anomalies/view.ts')),
  view('Allocation', 'teams', 'Teams', 'm', () => import('./teams/view.ts')),
  view('Allocation', 'tags', 'Tags', 'y', () => import('./tags/view.ts')),
  view('Allocation', 'budgets', 'Budgets', 'b', () => import('./budgets/view.ts')),
  view('Allocation', 'allocation', 'Allocation rules', 'l', () => import('./allocation/view.ts')),
  view('Savings', 'recommendations', 'Recommendations', 'r', () => import('./recommendations/view.ts')),
  view('Savings', 'savings', 'Savings', 'w', () => import('./savings/view.ts')),
  view('Savings', 'workflows', 'Workflows', 'f', () => import('./workflows/view.ts')),
  view('Savings', 'what-if', 'What-if', 'x', () => import('./what-if/view.ts')),
  view('Automation', 'schedules', 'Schedules', 'h', () => import('./schedules/view.ts')),
  view('Automation', 'scaling', 'Autoscaling', 'k', () => import('./scaling/view.ts')),
  view('Automation', 'events', 'Event readiness', 'j', () => import('./events/view.ts')),
  view('Automation', 'provisioning', 'Provisioning', 'q', () => import('./provisioning/view.ts'), 'provisioning.view'),
  view('Data', 'inventory', 'Inventory', 'i', () => import('./inventory/view.ts'), 'space.view'),
  {
    ...view('Data', 'resource', 'Resource', '', () => import('./resource/view.ts'), 'space.view'),
    hidden: true,
  },
  view('Data', 'live', 'Live', 'v', () => import('./live/view.ts')),
  view('Data', 'sources', 'Sources', 's', () => import('./sources/view.ts'), 'space.view'),
  view('Organization', 'notifications', 'Notifications', 'n', () => import('./notifications/view.ts')),
  view('Organization', 'members', 'Members', 'u', () => import('./members/view.ts'), 'admin'),
  view('Organization', 'account', 'Account', 'p', () => import('./account/view.ts'), 'session'),
  view('Organization', 'security', 'Security', 'e', () => import('./security/view.ts'), 'admin'),
  view('Organization', 'settings', 'Settings', 'z', () => import('./settings/view.ts'), 'admin'),
  view('Organization', 'saved', 'Saved views', 'd', () => import('./saved/view.ts')),
]
