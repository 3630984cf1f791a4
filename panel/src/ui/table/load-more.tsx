import { Button } from '@mantine/core';

export function LoadMore(props: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) {
  if (!props.query.hasNextPage) return null;
  return (
    <div>
      <Button
        variant="default"
        loading={props.query.isFetchingNextPage}
        onClick={() => props.query.fetchNextPage()}
      >
        Load more
      </Button>
    </div>
  );
}
