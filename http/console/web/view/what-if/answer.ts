/** What was answered, by kind; each says what it is taken as it is now, and what it left out. */
import { html } from '../../html.ts'
import type { WhatIfState } from './use-what-if.ts'
import { AnomalyAnswer } from './anomaly-answer.ts'
import { BudgetAnswer } from './budget-answer.ts'
import { GuardrailAnswer } from './guardrail-answer.ts'
import { ReplayAnswer } from './replay-answer.ts'
import type { WhatIf } from './reply.ts'
import { TaggingAnswer } from './tagging-answer.ts'

const answers = {
  rule: ReplayAnswer,
  governance: ReplayAnswer,
  anomaly: AnomalyAnswer,
  budget: BudgetAnswer,
  tagging: TaggingAnswer,
  guardrail: GuardrailAnswer,
}

export function Answer({ answer, body }: { answer: WhatIf; body: WhatIfState['body'] }) {
  // Asked where rules for teams are written.
  if (answer.kind === 'allocation') return null
  const reasons = 'reasons' in answer ? answer.reasons : []
  return html`<${answers[answer.kind]} answer=${answer} body=${body} />
    <h3>Limitations</h3>
    ${reasons.length === 0 ? html`<p class="faint">None reported: before and after are computed the same way, from the current bills.</p>` : html`<ul>${reasons.map((reason) => html`<li key=${reason}>${reason}</li>`)}</ul>`}`
}
