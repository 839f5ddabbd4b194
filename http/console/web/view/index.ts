/** The views, in the order of the menu: a capability adds its folder and one line. */
import type { ComponentType } from 'preact'

export interface View {
  /** The last part of its address. */
  name: string
  title: string
  /** Behind `g`, it leads there. */
  key: string
  group: 'Costs' | 'Whose' | 'Data'
  /** What the API needs of who looks; the menu says where it is lacking. */
  permission: string
  load: () => Promise<{ View: ComponentType }>
}

export const views: readonly View[] = [
  {
    name: 'overview',
    title: 'Overview',
    key: 'o',
    group: 'Costs',
    permission: 'service.view',
    load: () => import('./overview/view.ts'),
  },
  {
    name: 'anomalies',
    title: 'Anomalies',
    key: 'a',
    group: 'Costs',
    permission: 'service.view',
    load: () => import('./anomalies/view.ts'),
  },
]
