/** Answers that take several questions: all of them must be about the same sums, whatever is restated meanwhile. */
import { clickhouseTime } from '#analytics/store/time.ts'
import { costEditions } from '#analytics/cost/questions.ts'
import type { Services } from '#http/edge/services.ts'
import type { costQuestion } from './filter.ts'

type Question = ReturnType<typeof costQuestion>

/**
 * Runs `work`, which asks several questions. When sums of the range were replaced meanwhile it runs once more, about those
 * that were shown when it begins. `from` widens the range where `work` looks further back.
 */
export async function steady<T>(
  question: Question,
  { analytics, now, sums }: Pick<Services, 'analytics' | 'now' | 'sums'>,
  work: (question: Question) => Promise<T>,
  from = question.from,
): Promise<T> {
  if (question.as_of !== '') return work(question)
  // Soon asked, and it spares the store two questions of its own.
  const resting = await sums()
  if (resting !== undefined) {
    const answer = await work(question)
    if ((await sums()) === resting) return answer
  }
  const editions = async () => (await analytics(costEditions, { from, to: question.to }))[0]?.editions
  const before = await editions()
  const answer = await work(question)
  if ((await editions()) === before) return answer
  return work({ ...question, as_of: clickhouseTime(now()) })
}
