/** Known events: capacity is raised before, held through, and put back after. */
import { go, param } from '../../router.ts'
import { Head } from '../../part/head.tsx'
import { PlanForm } from './form.tsx'
import { List } from './list.tsx'
import { PlanDetail } from './detail.tsx'
import type { ReadinessPlan } from './labels.ts'

export function View() {
  const id = param('plan')
  if (id !== undefined) return <PlanDetail key={id} id={id} />
  return (
    <>
      <Head title="Event readiness" />
      {param('new') === 'plan' && (
        <PlanForm
          plan={undefined}
          onClose={() => go('events')}
          onDone={({ id: made }: ReadinessPlan) => go('events', { plan: made })}
        />
      )}
      <List />
    </>
  )
}
