/** How recommendations become changes: planned, approved, made once, looked at afterwards. */
import { param } from '../../router.ts'
import { Head } from '../../part/head.tsx'
import { All, PendingApprovals } from './list.tsx'
import { WorkflowDetail } from './detail.tsx'

export function View() {
  const id = param('job')
  return (
    <>
      <Head title="Workflows" />
      <div class={id === undefined ? '' : 'beside'}>
        <div>
          <PendingApprovals />
          <All />
        </div>
        {id !== undefined && <WorkflowDetail key={id} id={id} />}
      </div>
    </>
  )
}
