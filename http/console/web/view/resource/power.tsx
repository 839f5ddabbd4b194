/** Starting and stopping it, now or for a while: what will happen is said before, and followed until it has. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Status } from '../../part/power-state.tsx'
import { priceText } from '../../part/price.ts'
import { Loading } from '../../part/report-content.tsx'
import { change, param } from '../../router.ts'
import { useRequest, type Report } from '../../report.ts'
import { Follow } from './action-progress.tsx'
import { Overrides } from './override.tsx'
import type { Context, ResourceDetail } from './resource.ts'

export type Verb = 'start' | 'stop'

export interface PowerProps {
  resource: ResourceDetail
  context: Report<Context>
}

export function Power({ resource, context }: PowerProps) {
  const [asked, setAsked] = useState<Verb | undefined>()
  const action = param('action')
  const { status } = resource
  return (
    <Panel title="Start and stop" class="power">
      <p>
        Current status: <Status status={status} />
      </p>
      <Possible resource={resource} context={context} onAsk={setAsked} />
      {action !== undefined && <Follow key={action} id={action} resource={resource} />}
      {asked && <Sure verb={asked} resource={resource} context={context.data} onClose={() => setAsked(undefined)} />}
      <Overrides
        resource={resource}
        canAct={context.data?.power.isPossible ?? false}
        rate={context.data?.hourlyRateUSD ?? null}
      />
    </Panel>
  )
}

interface PossibleProps extends PowerProps {
  onAsk: (verb: Verb) => void
}

/** What can be asked for as it stands, or why nothing can. */
function Possible({ resource: { schedulable, type, status, inReportScope }, context, onAsk }: PossibleProps) {
  if (inReportScope === false)
    return (
      <p class="faint">
        Start and stop are not available: your role covers only some accounts and teams, and this resource belongs to
        none of them.
      </p>
    )
  if (context.problem && !context.data) return null
  if (!context.data)
    return context.isAsking ? (
      <Loading rows={1} />
    ) : (
      <p class="faint">
        Start and stop require the permission <code>service.view</code>.
      </p>
    )
  const { isPossible, reason, code } = context.data.power
  if (!isPossible)
    return (
      <p class="note" role="status">
        {schedulable ? reason : `A resource of type ${type} cannot be started or stopped.`}{' '}
        <span class="faint">{code}</span>
      </p>
    )
  return (
    <p class="bar">
      <Act
        needs="service.create"
        disabled={status === 'stopped' || status === 'stopping'}
        onClick={() => onAsk('stop')}
      >
        Stop…
      </Act>
      <Act
        needs="service.create"
        disabled={status === 'running' || status === 'starting'}
        onClick={() => onAsk('start')}
      >
        Start…
      </Act>
    </p>
  )
}

interface SureProps {
  verb: Verb
  resource: ResourceDetail
  context: Context | undefined
  onClose: () => void
}

function Sure({ verb, resource, context, onClose }: SureProps) {
  const doing = useRequest('POST /actions')
  const { uid, name, provider, type, cloudAccountID, cloudAccountName, region } = resource
  const body = { type: verb, resourceUID: uid, provider, resourceType: type, cloudAccountID, region }
  const run = () =>
    void doing.run({ body }, ({ actionID }) => {
      onClose()
      change({ action: actionID })
    })
  const title = verb === 'stop' ? 'Stop this resource?' : 'Start this resource?'
  return (
    <Confirm
      title={title}
      action={verb === 'stop' ? 'Stop' : 'Start'}
      isDanger={verb === 'stop'}
      doing={doing}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        <strong class="clip wide" dir="auto" title={uid}>
          {name || uid}
        </strong>{' '}
        ({type},{' '}
        <span class="clip" title={cloudAccountName}>
          {cloudAccountName}
        </span>
        {region && `, ${region}`}) is {verb === 'stop' ? 'stopped' : 'started'} in its cloud now, with up to three
        attempts. Progress is shown here.
      </p>
      <p>{verb === 'stop' ? stopText : startText}</p>
      <p>{priceText(verb, context?.hourlyRateUSD ?? null)}</p>
      <p>
        <Copy label="Copy as curl" text={curlOf('POST /actions', undefined, undefined, body)} />
      </p>
    </Confirm>
  )
}

const stopText =
  'Users lose access, and data held only in memory is lost. To undo, start it again: its disks, name and tags are kept. Its address may change, and a schedule may start it again.'
const startText = 'To undo, stop it again. A schedule may stop it again.'
