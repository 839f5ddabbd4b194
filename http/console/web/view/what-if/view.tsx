/** What would have been: the last days again by other figures, beside what was. Nothing is kept. */
import { Panel } from '../../part/panel.tsx'
import { Empty } from '../../part/report-content.tsx'
import { Tabs } from '../../part/tabs.tsx'
import { hrefOf, param } from '../../router.ts'
import { AnomalyForm, GovernanceForm, GuardrailForm } from './plain-forms.tsx'
import { BudgetForm } from './budget-form.tsx'
import { kinds, type KindName } from './kinds.ts'
import { RuleForm } from './rule-form.tsx'
import { TaggingForm } from './tagging-form.tsx'

const forms = {
  rule: RuleForm,
  governance: GovernanceForm,
  anomaly: AnomalyForm,
  budget: BudgetForm,
  tagging: TaggingForm,
  allocation: Allocation,
  guardrail: GuardrailForm,
} satisfies Record<KindName, unknown>

export function View() {
  const kind = kinds.find(({ name }) => name === param('kind')) ?? kinds[0]
  const tabs = kinds.map(({ name, title }) => ({
    name,
    title,
    href: hrefOf('what-if', { kind: name, from: param('from'), to: param('to') }),
  }))
  const Form = forms[kind.name]
  return (
    <>
      <div class="view-head">
        <h1>What-if</h1>
        <span class="faint">Nothing is saved or changed, and no one is notified.</span>
      </div>
      <Tabs label="What-if types" tabs={tabs} chosen={kind.name} />
      <p>{kind.text}</p>
      <Form key={kind.name} />
    </>
  )
}

/** Its form is that of the rules for teams, which asks this before a rule is saved. */
function Allocation() {
  return (
    <Panel title="Team allocation what-if">
      <Empty title="Use the rule editor for this.">
        <p>
          Before you save an allocation rule, it shows what moves and what each team would cost, before and after.{' '}
          <a href={hrefOf('allocation')}>Open allocation rules</a>, choose one or create a new one, click “Preview
          changes”, then “Preview cost by team”. Nothing is saved until you save the rule.
        </p>
      </Empty>
    </Panel>
  )
}
