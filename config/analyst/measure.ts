import { Counter, Histogram, type Registry } from 'prom-client'

/** How an analyst's query ended. */
export type QuestionOutcome = 'answered' | 'failed' | 'refused' | 'unauthenticated' | 'busy'

/** Registers the count and the duration of analysts' queries. */
export function measureQuestions(registry: Registry): (outcome: QuestionOutcome, seconds: number) => void {
  const questions = new Counter({
    name: 'tidemark_analyst_questions_total',
    help: 'Analyst queries to ClickHouse, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const times = new Histogram({
    name: 'tidemark_analyst_question_seconds',
    help: 'Duration of analyst queries, until the end of the response',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  return (outcome, seconds) => {
    questions.inc({ outcome })
    if (outcome === 'answered') times.observe(seconds)
  }
}
