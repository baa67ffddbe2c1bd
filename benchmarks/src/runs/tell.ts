/** Says what goes on inside a job, for the person who waits. */
export type Tell = (message: string) => void;
