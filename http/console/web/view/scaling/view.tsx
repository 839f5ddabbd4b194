/** How many units fleets have, by their load and by the clock. */
import { go, param } from '../../router.ts'
import { Head } from '../../part/head.tsx'
import { PolicyForm } from './form.tsx'
import { List } from './list.tsx'
import { PolicyDetail } from './detail.tsx'
import type { Policy } from './labels.ts'

export function View() {
  const id = param('policy')
  if (id !== undefined) return <PolicyDetail key={id} id={id} />
  return (
    <>
      <Head title="Autoscaling" />
      {param('new') === 'policy' && (
        <PolicyForm
          policy={undefined}
          onClose={() => go('scaling')}
          onDone={({ id: made }: Policy) => go('scaling', { policy: made })}
        />
      )}
      <List />
    </>
  )
}
