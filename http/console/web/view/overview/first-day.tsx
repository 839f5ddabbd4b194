/** The first steps of an organization, ticked as they are done; gone for all once they are done, or when somebody hides them. */
import { useEffect } from 'preact/hooks'
import { ask } from '../../api.ts'
import { Icon } from '../../frame/icon.tsx'
import { Panel } from '../../part/panel.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { lookAgain, may, session } from '../../session.ts'

/** For everybody in the organization. Where it fails, the steps are there the next time. */
const hide = (): void =>
  void ask('PUT /organisations/:orgID/first-steps', {
    params: { orgID: session.value!.orgID! },
    body: { isHidden: true },
  }).then(lookAgain, () => undefined)

interface Step {
  title: string
  href: string
  /** Undefined while it is not known. */
  isDone: boolean | undefined
}

/** Those who may not create things have nothing to do here. Where the steps are hidden, nothing is requested for them. */
export const FirstDay = () => (session.value!.me.hidesFirstSteps || !may('service.create') ? null : <Steps />)

function Steps() {
  const steps = useSteps()
  const known = steps.filter(({ isDone }) => isDone !== undefined)
  const done = known.filter(({ isDone }) => isDone).length
  // Others do not see whether somebody is still to be invited.
  const isOver = known.length === steps.length && done === steps.length && may('admin')
  useEffect(() => {
    if (isOver) hide()
  }, [isOver])
  // Nothing jumps: what is not known yet is not shown, and neither is what is done.
  if (known.length < steps.length || done === steps.length) return null
  return (
    <Panel
      title="First steps"
      about={`${done} of ${steps.length} done`}
      tools={
        may('service.update') && (
          <button type="button" class="quiet" title="For everyone in the organization" onClick={hide}>
            Hide
          </button>
        )
      }
    >
      <ol class="first-day">
        {steps.map(({ title, href, isDone }) => (
          <li key={title} class={isDone ? 'done' : ''}>
            <span class="tick">{isDone && <Icon name="check" />}</span>
            {isDone ? (
              <span>
                {title}
                <span class="unseen">, done</span>
              </span>
            ) : (
              <a href={href}>{title}</a>
            )}
          </li>
        ))}
      </ol>
      {!steps[0]!.isDone && (
        <p class="faint">
          Guides: <a href={hrefOf('sources', { connect: 'aws' })}>AWS by CloudFormation or Terraform</a>,{' '}
          <a href={hrefOf('sources', { connect: 'azure' })}>Azure by az</a>,{' '}
          <a href={hrefOf('sources', { connect: 'gcp' })}>Google Cloud by gcloud</a>
        </p>
      )}
    </Panel>
  )
}

/** By what the API has of each. */
function useSteps(): Step[] {
  const isAdmin = may('admin')
  const accounts = useReport('GET /billing/sync-status', { on: ['bill.', 'costs.changed'] }).data
  const members = useReport('GET /members', { when: isAdmin }).data
  const teams = useReport('GET /teams', { query: { limit: 1 } }).data
  const budgets = useReport('GET /budgets/summary', { on: ['budget.', 'costs.changed'] }).data
  // Channels may hold secrets, so they would be a request of their own; one without subscriptions gets nothing anyway.
  const subscriptions = useReport('GET /notifications/subscriptions').data
  const schedules = useReport('GET /schedules', { query: { limit: 1 } }).data
  const invite = { title: 'Invite a member', href: hrefOf('members'), isDone: members && members.length > 1 }
  return [
    { title: 'Bring in bills', href: hrefOf('sources'), isDone: accounts && accounts.length > 0 },
    ...(isAdmin ? [invite] : []),
    { title: 'Create a team', href: hrefOf('teams'), isDone: teams && teams.total > 0 },
    { title: 'Set a budget', href: hrefOf('budgets', { new: 'team' }), isDone: budgets && budgets.budgetCount > 0 },
    {
      title: 'Add a notification channel',
      href: hrefOf('notifications'),
      isDone: subscriptions && subscriptions.length > 0,
    },
    {
      title: 'Schedule what stops at night',
      href: hrefOf('schedules', { new: 'schedule' }),
      isDone: schedules && schedules.total > 0,
    },
  ]
}
