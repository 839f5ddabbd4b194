/** Which rules give costs to teams: those for resources, in the order in which they are asked, and those that hand costs out. */
import { html } from '../../html.ts'
import { go, hrefOf, param } from '../../place.ts'
import { Act } from '../../part/act.ts'
import { Empty, Failed, Loading } from '../../part/state.ts'
import { AllocationForm } from './allocation-form.ts'
import { AllocationRules, SharedRules } from './list.ts'
import { useNames, type Names } from './names.ts'
import { usePolicies } from './policies.ts'
import { SharedForm } from './shared-form.ts'

const back = () => go('allocation')

export function View() {
  const names = useNames()
  const allocation = usePolicies('allocation')
  const shared = usePolicies('shared-cost')
  const [making, opened] = [param('new'), param('rule')]
  const again = () => {
    allocation.again()
    shared.again()
    back()
  }
  const problem = allocation.problem ?? shared.problem
  const rules = allocation.items && shared.items && [...allocation.items, ...shared.items]
  const isForm = making !== undefined || opened !== undefined
  const rule = rules?.find(({ id }) => id === opened)
  const isThere = rules !== undefined && names.isThere
  const state = problem
    ? html`<${Failed} problem=${problem} again=${again} />`
    : isThere
      ? null
      : html`<${Loading} rows=${8} />`
  const list = { allocation, shared, names, onDone: again }
  const shown = isForm
    ? html`<${Form} making=${making} rule=${rule} names=${names} onDone=${again} />`
    : html`<${List} ...${list} />`
  return html`<${Head} title=${isForm ? titleOf(rule, opened) : undefined} />${state}${isThere && shown}`
}

const titleOf = (rule: FormProps['rule'], opened: string | undefined): string =>
  rule?.name ?? (opened === undefined ? 'New rule' : 'Rule')

interface ListProps {
  allocation: ReturnType<typeof usePolicies>
  shared: ReturnType<typeof usePolicies>
  names: Names
  onDone: () => void
}

const List = ({ allocation, shared, names, onDone }: ListProps) =>
  html`<p class="faint">A team that a resource was given by hand counts before all rules. Months that are closed keep the teams and shares of then.</p>
    <${AllocationRules} policies=${allocation} names=${names} onDone=${onDone} /><${SharedRules} policies=${shared} names=${names} onDone=${onDone} />`

/** Of the list, or of the rule whose form is open. */
const Head = ({ title }: { title: string | undefined }) =>
  title === undefined
    ? html`<div class="view-head"><h1>Rules</h1><span class="tools">
        <${Act} needs="service.create" class="main" onClick=${() => go('allocation', { new: 'allocation' })}>New rule for resources<//>
        <${Act} needs="service.create" onClick=${() => go('allocation', { new: 'shared-cost' })}>New rule for shared costs<//>
      </span></div>`
    : html`<div class="view-head"><h1><a href=${hrefOf('allocation')}>Rules</a> / <span class="clip wide" dir="auto" title=${title}>${title}</span></h1></div>`

interface FormProps {
  making: string | undefined
  rule: NonNullable<ReturnType<typeof usePolicies>['items']>[number] | undefined
  names: Names
  onDone: () => void
}

function Form({ making, rule, names, onDone }: FormProps) {
  if (making === undefined && !rule)
    return html`<${Empty} title="There is no such rule."><p><a href=${hrefOf('allocation')}>To the rules</a></p><//>`
  const isShared = rule ? rule.domain === 'shared-cost' : making === 'shared-cost'
  return isShared
    ? html`<${SharedForm} key=${rule?.id} rule=${rule} names=${names} onDone=${onDone} />`
    : html`<${AllocationForm} key=${rule?.id} rule=${rule} names=${names} onDone=${onDone} />`
}
