/** Which rules give costs to teams: those for resources, in the order in which they are asked, and those that hand costs out. */
import { go, hrefOf, param } from '../../router.ts'
import { Head } from '../../part/head.tsx'
import { Act } from '../../part/act.tsx'
import { Empty, ProblemMessage, Loading } from '../../part/report-content.tsx'
import { AllocationForm } from './allocation-form.tsx'
import { AllocationRules, SharedRules } from './list.tsx'
import { useNames, type Names } from './names.ts'
import { usePolicies, type Policies, type Policy } from './policies.ts'
import { SharedForm } from './shared-form.tsx'

const back = () => go('allocation')

export function View() {
  const [making, opened] = [param('new'), param('rule')]
  const allocation = usePolicies('allocation')
  const shared = usePolicies('shared-cost')
  const rules = allocation.items && shared.items && [...allocation.items, ...shared.items]
  const rule = opened === undefined ? undefined : rules?.find(({ id }) => id === opened)
  const isForm = making !== undefined || opened !== undefined
  const title = rule?.name ?? (opened === undefined ? 'New rule' : 'Rule')
  return (
    <>
      {isForm ? (
        <Head title="Allocation rules" of={{ name: title, href: hrefOf('allocation') }} />
      ) : (
        <Head title="Allocation rules">
          <Act needs="service.create" class="main" onClick={() => go('allocation', { new: 'allocation' })}>
            New rule for resources
          </Act>
          <Act needs="service.create" onClick={() => go('allocation', { new: 'shared-cost' })}>
            New rule for shared costs
          </Act>
        </Head>
      )}
      <Body allocation={allocation} shared={shared} rule={rule} making={making} isForm={isForm} />
    </>
  )
}

interface BodyProps {
  allocation: Policies
  shared: Policies
  rule: Policy | undefined
  making: string | undefined
  isForm: boolean
}

function Body({ allocation, shared, rule, making, isForm }: BodyProps) {
  const names = useNames()
  const again = () => {
    allocation.again()
    shared.again()
    back()
  }
  const problem = allocation.problem ?? shared.problem
  if (problem) return <ProblemMessage problem={problem} again={again} />
  if (!allocation.items || !shared.items || !names.isThere) return <Loading rows={8} />
  if (isForm) return <Form making={making} rule={rule} names={names} onDone={again} />
  return (
    <>
      <p class="faint">
        A manually assigned team takes precedence over all rules. Closed months keep the teams and shares they had.
      </p>
      <AllocationRules policies={allocation} names={names} onDone={again} />
      <SharedRules policies={shared} names={names} onDone={again} />
    </>
  )
}

interface FormProps {
  making: string | undefined
  rule: Policy | undefined
  names: Names
  onDone: () => void
}

function Form({ making, rule, names, onDone }: FormProps) {
  if (making === undefined && !rule)
    return (
      <Empty title="This rule does not exist.">
        <p>
          <a href={hrefOf('allocation')}>Go to allocation rules</a>
        </p>
      </Empty>
    )
  const isShared = rule ? rule.domain === 'shared-cost' : making === 'shared-cost'
  return isShared ? (
    <SharedForm key={rule?.id} rule={rule} names={names} onDone={onDone} />
  ) : (
    <AllocationForm key={rule?.id} rule={rule} names={names} onDone={onDone} />
  )
}
