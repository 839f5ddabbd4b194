/** What is started and stopped by the clock, and the exceptions from it. */
import { html } from '../../html.ts'
import { go, param } from '../../router.ts'
import { ViewTabs, tabAsked } from '../../part/tabs.ts'
import { ScheduleForm } from './form.ts'
import { List } from './list.ts'
import { ScheduleDetail } from './detail.ts'
import { Overrides } from './overrides.ts'
import type { Schedule } from './labels.ts'

const tabs = [
  { name: 'schedules', title: 'Schedules' },
  { name: 'overrides', title: 'Overrides' },
] as const

export function View() {
  const id = param('schedule')
  if (id !== undefined) return html`<${ScheduleDetail} key=${id} id=${id} />`
  const tab = tabAsked(tabs).name
  const isMaking = tab === 'schedules' && param('new') === 'schedule'
  return html`<div class="view-head"><h1>Schedules</h1></div>
    <${ViewTabs} view="schedules" label="Schedules and overrides" tabs=${tabs} />
    ${isMaking && html`<${ScheduleForm} schedule=${undefined} onClose=${() => go('schedules')} onDone=${({ id: made }: Schedule) => go('schedules', { schedule: made })} />`}
    ${tab === 'schedules' ? html`<${List} />` : html`<${Overrides} />`}`
}
