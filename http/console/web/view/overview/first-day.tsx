/** The first steps of an organization, ticked as they are done; gone once all are, or when somebody hides them. */
import { isFlag, preference } from '../../frame/preference.ts'
import { Icon } from '../../frame/icon.tsx'
import { Panel } from '../../part/panel.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'

const isHidden = preference('first-day-hidden', isFlag, false)

interface Step {
  title: string
  href: string
  /** Undefined while it is not known. */
  isDone: boolean | undefined
}

/** Those who may not create things have nothing to do here. */
export const FirstDay = () => (isHidden.value || !may('service.create') ? null : <Steps />)

function Steps() {
  const steps = useSteps()
  const known = steps.filter(({ isDone }) => isDone !== undefined)
  const done = known.filter(({ isDone }) => isDone).length
  // Nothing jumps: what is not known yet is not shown, and neither is what is done.
  if (known.length < steps.length || done === steps.length) return null
  return (
    <Panel
      title="First steps"
      about={`${done} of ${steps.length} done`}
      tools={
        <button type="button" class="quiet" onClick={() => isHidden.set(true)}>
          Hide
        </button>
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
  const channels = useReport('GET /notifications/channels').data
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
      isDone: channels && channels.length > 0,
    },
    {
      title: 'Schedule what stops at night',
      href: hrefOf('schedules', { new: 'schedule' }),
      isDone: schedules && schedules.total > 0,
    },
  ]
}
