/** What is started and stopped by the clock, and the exceptions from it. */
import { go, param } from '../../router.ts'
import { Head } from '../../part/head.tsx'
import { ViewTabs, tabAsked } from '../../part/tabs.tsx'
import { ScheduleForm } from './form.tsx'
import { List } from './list.tsx'
import { ScheduleDetail } from './detail.tsx'
import { Overrides } from './overrides.tsx'
import type { Schedule } from './labels.ts'

const tabs = [
  { name: 'schedules', title: 'Schedules' },
  { name: 'overrides', title: 'Overrides' },
] as const

export function View() {
  const id = param('schedule')
  if (id !== undefined) return <ScheduleDetail key={id} id={id} />
  const tab = tabAsked(tabs).name
  const isMaking = tab === 'schedules' && param('new') === 'schedule'
  return (
    <>
      <Head title="Schedules" />
      <ViewTabs view="schedules" label="Schedules and overrides" tabs={tabs} />
      {isMaking && (
        <ScheduleForm
          schedule={undefined}
          onClose={() => go('schedules')}
          onDone={({ id: made }: Schedule) => go('schedules', { schedule: made })}
        />
      )}
      {tab === 'schedules' ? <List /> : <Overrides />}
    </>
  )
}
