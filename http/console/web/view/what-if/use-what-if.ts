/** A question is in the address: sent from there, once, so that its link asks the same. Nothing is kept by the API. */
import { useEffect, useState } from 'preact/hooks'
import { change, param } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { changeOf } from './draft.ts'
import type { KindName } from './kinds.ts'

export const operation = 'POST /what-if'

export interface WhatIfState {
  /** What the address says of the change, for fields to begin with. */
  given: Record<string, unknown>
  doing: ReturnType<typeof useRequest<typeof operation>>
  body: { kind: KindName; from?: string; to?: string; change: Record<string, unknown> }
  /** What is read of the form; the text is wrong where it throws. */
  submit: (read: () => Record<string, unknown>) => void
  textProblem: string
}

export function useWhatIf(kind: KindName): WhatIfState {
  const doing = useRequest(operation)
  const [round, setRound] = useState(0)
  const [textProblem, setTextProblem] = useState('')
  const text = param('change')
  const given = changeOf(text)
  const [from, to] = [param('from'), param('to')]
  const body = { kind, ...(from && { from }), ...(to && { to }), change: given }
  useEffect(() => {
    if (text !== undefined) void doing.run({ body, isOnce: true })
  }, [text, from, to, round])
  const submit = (read: () => Record<string, unknown>) => {
    try {
      const next = JSON.stringify(read())
      setTextProblem('')
      if (next === text) setRound(round + 1)
      else change({ change: next })
    } catch {
      setTextProblem('A JSON field is not valid JSON. Check its braces, quotes and commas.')
    }
  }
  return { given, doing, body, submit, textProblem }
}
