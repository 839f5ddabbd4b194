/** What was answered, by kind; each says what it is taken as it is now, and what it left out. */
import type { ComponentType } from 'preact'
import type { WhatIfState } from './use-what-if.ts'
import { AnomalyAnswer } from './anomaly-answer.tsx'
import { BudgetAnswer } from './budget-answer.tsx'
import { GuardrailAnswer } from './guardrail-answer.tsx'
import { ReplayAnswer } from './replay-answer.tsx'
import type { WhatIf } from './reply.ts'
import { TaggingAnswer } from './tagging-answer.tsx'

const answers = {
  rule: ReplayAnswer,
  governance: ReplayAnswer,
  anomaly: AnomalyAnswer,
  budget: BudgetAnswer,
  tagging: TaggingAnswer,
  guardrail: GuardrailAnswer,
}

interface AnswerProps {
  answer: WhatIf
  body: WhatIfState['body']
}

export function Answer({ answer, body }: AnswerProps) {
  // Asked where rules for teams are written.
  if (answer.kind === 'allocation') return null
  const reasons = 'reasons' in answer ? answer.reasons : []
  const Shown = answers[answer.kind] as ComponentType<AnswerProps>
  return (
    <>
      <Shown answer={answer} body={body} />
      <h3>Limitations</h3>
      {reasons.length === 0 ? (
        <p class="faint">None reported: before and after are computed the same way, from the current bills.</p>
      ) : (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </>
  )
}
