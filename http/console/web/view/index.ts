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
  /** Its figures do not wait for the last settled day: no period of it ends there. */
  needsNoSettledDay?: boolean
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
  { ...view('Costs', 'overview', 'Overview', 'o', () => import('./overview/view.tsx')), needsNoSettledDay: true },
  view('Costs', 'costs', 'Explorer', 'c', () => import('./costs/view.tsx')),
  view('Costs', 'dashboards', 'Dashboards', '9', () => import('./dashboards/view.tsx')),
  view('Costs', 'kubernetes', 'Kubernetes', '8', () => import('./kubernetes/view.tsx')),
  view('Costs', 'anomalies', 'Anomalies', 'a', () => import('./anomalies/view.tsx')),
  view('Allocation', 'teams', 'Teams', 'm', () => import('./teams/view.tsx')),
  view('Allocation', 'tags', 'Tags', 'y', () => import('./tags/view.tsx')),
  view('Allocation', 'budgets', 'Budgets', 'b', () => import('./budgets/view.tsx')),
  view('Allocation', 'allocation', 'Allocation rules', 'l', () => import('./allocation/view.tsx')),
  view('Allocation', 'units', 'Unit economics', 't', () => import('./units/view.tsx')),
  view('Savings', 'recommendations', 'Recommendations', 'r', () => import('./recommendations/view.tsx')),
  view('Savings', 'savings', 'Savings', 'w', () => import('./savings/view.tsx')),
  view('Savings', 'workflows', 'Workflows', 'f', () => import('./workflows/view.tsx')),
  view('Savings', 'what-if', 'What-if', 'x', () => import('./what-if/view.tsx')),
  view('Automation', 'schedules', 'Schedules', 'h', () => import('./schedules/view.tsx')),
  view('Automation', 'groups', 'Resource groups', 'g', () => import('./groups/view.tsx')),
  view('Automation', 'scaling', 'Autoscaling', 'k', () => import('./scaling/view.tsx')),
  view('Automation', 'events', 'Event readiness', 'j', () => import('./events/view.tsx')),
  view('Automation', 'provisioning', 'Provisioning', 'q', () => import('./provisioning/view.tsx'), 'provisioning.view'),
  view('Data', 'inventory', 'Inventory', 'i', () => import('./inventory/view.tsx'), 'space.view'),
  {
    ...view('Data', 'resource', 'Resource', '', () => import('./resource/view.tsx'), 'space.view'),
    hidden: true,
  },
  view('Data', 'live', 'Live', 'v', () => import('./live/view.tsx')),
  view('Data', 'sources', 'Sources', 's', () => import('./sources/view.tsx'), 'space.view'),
  view('Data', 'exports', 'Scheduled exports', '7', () => import('./exports/view.tsx')),
  view('Data', 'currencies', 'Exchange rates', '6', () => import('./currencies/view.tsx')),
  view('Organization', 'notifications', 'Notifications', 'n', () => import('./notifications/view.tsx')),
  view('Organization', 'members', 'Members', 'u', () => import('./members/view.tsx'), 'admin'),
  view('Organization', 'account', 'Account', 'p', () => import('./account/view.tsx'), 'session'),
  {
    ...view('Organization', 'authorize', 'Connect an agent', '', () => import('./authorize/view.tsx'), 'session'),
    hidden: true,
  },
  view('Organization', 'security', 'Security', 'e', () => import('./security/view.tsx'), 'admin'),
  view('Organization', 'settings', 'Settings', 'z', () => import('./settings/view.tsx'), 'admin'),
  view('Organization', 'saved', 'Saved views', 'd', () => import('./saved/view.tsx')),
]
