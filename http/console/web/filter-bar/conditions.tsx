/** The conditions of the address as chips: all must hold; those joined by "or" are alternatives. */
import { conditionText, parseWhere, removeCondition, type Condition, type Where } from '../where.ts'

export interface ConditionsProps {
  text: string
  nameOf: (value: string) => string
  /** The group that the next condition is an alternative of. */
  target: number | undefined
  onTarget: (group: number | undefined) => void
  onWhere: (where: Where) => void
}

export function Conditions({ text, nameOf, target, onTarget, onWhere }: ConditionsProps) {
  const where = parseWhere(text)
  if (!where)
    return (
      <li class="chip">
        <span class="faint nowrap">Conditions</span>{' '}
        <code class="clip wide" title={text}>
          {text}
        </code>
        <button type="button" aria-label="Remove conditions" onClick={() => onWhere([])}>
          ✕
        </button>
      </li>
    )
  return (
    <>
      {where.map((group, at) => (
        <li class="chip" key={at}>
          {group.map((condition, n) => (
            <ConditionText
              key={n}
              condition={condition}
              isFirst={n === 0}
              nameOf={nameOf}
              onRemove={() => onWhere(removeCondition(where, at, n))}
            />
          ))}
          <button
            type="button"
            aria-pressed={target === at}
            title="Add an alternative to this condition"
            aria-label={`or… an alternative to ${group.map((one) => conditionText(one, nameOf)).join(' or ')}`}
            onClick={() => onTarget(target === at ? undefined : at)}
          >
            or…
          </button>
        </li>
      ))}
    </>
  )
}

interface ConditionTextProps {
  condition: Condition
  isFirst: boolean
  nameOf: (value: string) => string
  onRemove: () => void
}

function ConditionText({ condition, isFirst, nameOf, onRemove }: ConditionTextProps) {
  const text = conditionText(condition, nameOf)
  return (
    <>
      {!isFirst && <strong class="nowrap">or</strong>}
      <span class="clip wide" dir="auto" title={text}>
        {text}
      </span>
      <button type="button" aria-label={`Remove ${text}`} onClick={onRemove}>
        ✕
      </button>
    </>
  )
}
