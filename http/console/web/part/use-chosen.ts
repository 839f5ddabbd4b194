/** What a person has just chosen stands until it is known whether it was taken: then what is there does. */
import { useEffect, useState } from 'preact/hooks'

export function useChosen<T>(there: T): { shown: T; choose: (value: T, work: Promise<unknown>) => void } {
  const [chosen, setChosen] = useState<{ value: T } | undefined>()
  useEffect(() => setChosen(undefined), [there])
  const choose = (value: T, work: Promise<unknown>) => {
    setChosen({ value })
    // What resolves with nothing has failed, and its problem is shown.
    void work.then((done) => done ?? setChosen(undefined))
  }
  return { shown: chosen ? chosen.value : there, choose }
}
