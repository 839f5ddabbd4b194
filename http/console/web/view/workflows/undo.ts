/** Whether what steps do can be taken back. */
export const undoText = ({ steps }: { steps: readonly { reversible: boolean }[] }): string =>
  steps.every(({ reversible }) => reversible)
    ? 'What it does can be undone by hand; Tidemark takes nothing back by itself.'
    : 'What it does can NOT be undone.'
