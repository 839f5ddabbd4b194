/** How recommendations become changes: planned, approved, made once, looked at afterwards. */
import { param } from '../../router.ts'
import { All, PendingApprovals } from './list.tsx'
import { WorkflowDetail } from './detail.tsx'

export function View() {
  const id = param('job')
  return (
    <>
      <div class="view-head">
        <h1>Workflows</h1>
      </div>
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
