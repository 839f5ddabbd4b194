import type { Settings } from './settings.ts'

/** For tests: `<point>:<n>` kills the process when it passes that point for the n-th time. */
export function crashPoint({ testHooks, crashAt }: Pick<Settings, 'testHooks' | 'crashAt'>): (name: string) => void {
  const [point, nth = '1'] = (testHooks && crashAt?.split(':')) || []
  let passes = 0
  return (name) => {
    if (name === point && ++passes >= Number(nth)) process.kill(process.pid, 'SIGKILL')
  }
}
