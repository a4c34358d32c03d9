"""What the processes of one catalog share besides its rows: queues, messages and slots."""
