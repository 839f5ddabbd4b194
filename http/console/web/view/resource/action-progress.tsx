/** An action from when it was asked for until its end: it is looked at every second while it goes on. */
import { useEffect, useRef } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { refetchAll } from '../../refetch.ts'
import { timeText } from '../../day.ts'
import { emitResync } from '../../live.ts'
import { Copies } from '../../part/copy.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { change } from '../../router.ts'
import { useReport } from '../../report.ts'
import type { ResourceDetail } from './resource.ts'

type Action = Reply<'GET /actions/:actionID'>

/** Nothing is told of actions themselves. */
const everyMs = 1000

const isOver = ({ status }: Action): boolean => status === 'succeeded' || status === 'failed'

export function Follow({ id, resource }: { id: string; resource: ResourceDetail }) {
  const report = useReport('GET /actions/:actionID', { params: { actionID: id }, on: ['inventory.'] })
  const { data, problem, again } = report
  const isGoing = problem === undefined && (data === undefined || !isOver(data))
  useEffect(() => {
    if (!isGoing) return
    const timer = setInterval(again, everyMs)
    return () => clearInterval(timer)
  }, [isGoing])
  const isDone = data?.status === 'succeeded' && data.resourceUID === resource.uid
  useCaughtUp(isGoing, isDone && resource.status !== stateOf[data.action])
  return (
    <section class="follow" aria-label="Action">
      <ReportContent report={report} rows={2}>
        {(action: Action) => <Course action={action} resource={resource} />}
      </ReportContent>
      <p class="bar">
        {!isGoing && (
          <button type="button" class="quiet" onClick={() => change({ action: null })}>
            Close
          </button>
        )}
        <Copies report={report} />
      </p>
    </section>
  )
}

const stateOf = { start: 'running', stop: 'stopped' } as const

/** How often the inventory is asked again that does not show yet what an action has done, and for how long. */
const catchUpMs = 2000
const catchUpMax = 15

/** Once an action is over all that is shown is asked anew, until the resource is shown as the action has left it. */
function useCaughtUp(isGoing: boolean, isBehind: boolean): void {
  const wasGoing = useRef(isGoing)
  useEffect(() => {
    if (wasGoing.current && !isGoing) refetchAll()
    wasGoing.current ||= isGoing
  }, [isGoing])
  useEffect(() => {
    if (!isBehind || !wasGoing.current) return
    let times = 0
    const timer = setInterval(() => (++times > catchUpMax ? clearInterval(timer) : emitResync()), catchUpMs)
    return () => clearInterval(timer)
  }, [isBehind])
}

const progressTexts = { start: 'Starting', stop: 'Stopping' } as const
const doneTexts = { start: 'Started', stop: 'Stopped' } as const
const stateTexts = { start: 'Running', stop: 'Stopped' } as const
const actionTexts = { start: 'start', stop: 'stop' } as const

function Course({ action, resource }: { action: Action; resource: ResourceDetail }) {
  const { action: verb, status, errorMessage, createdAt, startedAt, completedAt } = action
  const isOther = action.resourceUID !== resource.uid
  const look = { pending: '', running: 'warning', succeeded: 'good', failed: 'failed' }[status]
  const said = {
    pending: `Requested to ${actionTexts[verb]}: waiting in the queue.`,
    running: `${progressTexts[verb]}: the cloud accepted the request. Waiting for the new state.`,
    // Nothing was begun for what is so already.
    succeeded: startedAt === null ? `${stateTexts[verb]} already: nothing was changed.` : `${doneTexts[verb]}.`,
    failed: `Could not be ${verb === 'stop' ? 'stopped' : 'started'}: ${errorMessage ?? 'the cloud gave no reason.'}`,
  }[status]
  const times = [
    ['requested', createdAt],
    ['started', startedAt],
    ['finished', completedAt],
  ].filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return (
    <>
      {isOther && <p class="note">This action belongs to another resource: {action.resourceUID}.</p>}
      <p role="status">
        <span class={`badge ${look}`}>{status}</span> <span dir="auto">{said}</span>
      </p>
      <p class="faint">{times.map(([what, at]) => `${what} ${timeText(at)}`).join(' · ')}</p>
    </>
  )
}
